# what a change has to pass before it is pushed
check:
    cargo fmt --check
    cargo clippy --all-targets -- -D warnings

# all tests, those against a real server included
test *args:
    cargo test {{args}}

# write what the tests see now as what they expect; the diff is the review
bless:
    INSTA_UPDATE=always REPRISE_BLESS=1 cargo test
    git diff --stat

# the library's documentation, and the tests of the written one
docs:
    RUSTDOCFLAGS="-D warnings" cargo doc --no-deps
    cargo test --test docs

# reprise beside pgbench 18: CPU, throughput, instructions, memory, timers
bench *args:
    benches/race.py {{args}}
