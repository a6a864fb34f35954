//! Any text as a script: it is read, compiled and printed, or refused with places that are in it.

#![no_main]

#[path = "../../tests/fuzz/input.rs"]
mod input;

use libfuzzer_sys::fuzz_target;
use reprise::script::{parse, print};

fuzz_target!(|text: &str| {
    input::take_script(text, |id, dialect, script| {
        let printed = print(script);
        let again = parse(id, &printed, dialect).expect("what is printed is a script");
        assert_eq!(print(&again), printed);
    });
});
