//! How many files a program may have open: each client needs one.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// What pgbench itself has open.
const OWN: u64 = 3;

/// Makes room for `clients`, or says why there is none.
pub(super) fn make_room(clients: u32) -> Result<(), String> {
    let hint = "\nhint: Reduce number of clients, or use limit/ulimit to increase the system limit.";
    let needed = u64::from(clients) + OWN;
    let refused = |error: nix::Error| format!("getrlimit failed: {}", error.desc());
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).map_err(refused)?;
    if hard < needed {
        return Err(format!("need at least {needed} open files, but system limit is {hard}{hint}"));
    }
    // threads have files of their own, so all that is allowed is asked for
    if soft < hard && setrlimit(Resource::RLIMIT_NOFILE, hard, hard).is_err() && soft < needed {
        let raised = setrlimit(Resource::RLIMIT_NOFILE, needed, hard);
        return raised.map_err(|error| {
            format!("need at least {needed} open files, but couldn't raise the limit: {}{hint}", error.desc())
        });
    }
    Ok(())
}
