//! `pgbench -i` as a scenario.

use super::benchmark::{body, head};
use super::command_line::CommandLine;
use super::place::Folder;
use crate::cli::pgbench::{InitOptions, Options, PartitionMethod, default_script};
use crate::cli::yaml::value;

/// The whole scenario: set-up is what the command line does; what runs on it is what pgbench runs by itself.
pub(super) fn scenario(options: &InitOptions, line: &CommandLine, folder: &Folder) -> String {
    // pgbench drops what is in its way, and set-up alone is what it does
    let mut text = head(line, &options.connection, folder, " --only setup --replace");
    let load = Options { scripts: default_script().into_iter().collect(), ..Options::default() };
    body(&load, &[format!("pgbench: {{{}}}", keys(options).join(", "))], folder, &mut text);
    text
}

fn keys(options: &InitOptions) -> Vec<String> {
    let mut keys = vec![
        format!("scale: {}", options.scale),
        format!("init_steps: {}", options.steps),
        format!("fillfactor: {}", options.fillfactor),
        format!("unlogged_tables: {}", options.unlogged_tables),
        format!("partitions: {}", options.partitions),
    ];
    if options.partitions > 0 {
        let method = match options.partition_method {
            PartitionMethod::Range => "range",
            PartitionMethod::Hash => "hash",
        };
        keys.push(format!("partition_method: {method}"));
    }
    keys.extend(options.tablespace.as_ref().map(|name| format!("tablespace: {}", value(name))));
    keys.extend(options.index_tablespace.as_ref().map(|name| format!("index_tablespace: {}", value(name))));
    keys.push(format!("jobs: {}", options.jobs));
    keys
}
