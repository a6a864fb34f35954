//! A script without a scenario: `reprise run x.sql -c 8 -T 60`.
//!
//! The options are pgbench's. They make the scenario that their user would have written, so that a bare script takes
//! the same way as everything else.

use std::path::Path;

use crate::diagnostic::Diagnostic;

use super::define::Define;
use super::yaml::{identifier, value, variable};

/// The load of a bare script.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "For a bare script, with pgbench's names")]
pub(crate) struct BareArgs {
    /// Clients [default: 1]
    #[arg(short = 'c', long = "client", value_name = "NUM", value_parser = clap::value_parser!(u32).range(1..))]
    clients: Option<u32>,
    /// Threads that drive the clients [default: the machine's cores]
    #[arg(short, long, value_name = "NUM", value_parser = clap::value_parser!(u32).range(1..))]
    jobs: Option<u32>,
    /// Seconds to run
    #[arg(short = 'T', long, value_name = "NUM", conflicts_with = "transactions")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    time: Option<u32>,
    /// Transactions of each client [default: 10]
    #[arg(short = 't', long, value_name = "NUM", value_parser = clap::value_parser!(u32).range(1..))]
    transactions: Option<u32>,
    /// How statements travel [default: prepared]
    #[arg(short = 'M', long, value_name = "PROTOCOL", value_parser = ["simple", "extended", "prepared"])]
    protocol: Option<String>,
    /// A new connection for each transaction
    #[arg(short = 'C', long)]
    connect: bool,
    /// Transactions a second, all clients together
    #[arg(short = 'R', long, value_name = "NUM", value_parser = positive)]
    rate: Option<f64>,
    /// Count transactions that take more than so many milliseconds as late
    #[arg(short = 'L', long, value_name = "NUM", value_parser = positive)]
    latency_limit: Option<f64>,
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number > 0.0 => Ok(number),
        _ => Err("it takes a number above 0".to_owned()),
    }
}

/// Whether `path` is a scenario; anything else is a bare script.
pub(crate) fn is_scenario(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("yaml") || e.eq_ignore_ascii_case("yml"))
}

impl BareArgs {
    /// The complaint about options that a scenario says for itself, if any is given.
    pub(crate) fn refuse_beside_scenario(&self) -> Option<Diagnostic> {
        let given = [
            (self.clients.is_some(), "-c"),
            (self.jobs.is_some(), "-j"),
            (self.time.is_some(), "-T"),
            (self.transactions.is_some(), "-t"),
            (self.protocol.is_some(), "-M"),
            (self.connect, "-C"),
            (self.rate.is_some(), "-R"),
            (self.latency_limit.is_some(), "-L"),
        ];
        let (_, option) = given.into_iter().find(|(given, _)| *given)?;
        Some(
            Diagnostic::error("usage::only_for_a_script", format!("`{option}` is only for a bare script"))
                .help("a scenario has its load in itself; make a variable of what changes, and set it with `-D`"),
        )
    }

    /// The scenario that runs `script` so. Its variables are those of `-D`.
    pub(crate) fn scenario(&self, script: &Path, define: &[Define]) -> String {
        let file = script.file_name().unwrap_or_default().to_string_lossy();
        let name = identifier(&script.file_stem().unwrap_or_default().to_string_lossy());
        let mut load = vec![format!("clients: {}", self.clients.unwrap_or(1))];
        load.extend(self.jobs.map(|n| format!("threads: {}", n.min(self.clients.unwrap_or(1)))));
        load.extend(self.protocol.as_ref().map(|p| format!("protocol: {p}")));
        load.extend(self.connect.then(|| "connections: per_transaction".to_owned()));
        load.extend(self.latency_limit.map(|ms| format!("latency_limit: {}us", (ms * 1000.0).round())));
        let mut phase = vec![format!("name: {name}")];
        phase.push(match self.time {
            Some(seconds) => format!("duration: {seconds}s"),
            None => format!("transactions_per_client: {}", self.transactions.unwrap_or(10)),
        });
        phase.extend(self.rate.map(|rate| format!("rate: {rate}/s")));
        // pgbench gives every script the scale factor
        let mut vars = vec![("scale", "1".to_owned())];
        for Define { name, value } in define {
            vars.retain(|(known, _)| known != name);
            vars.push((name, variable(value)));
        }
        let vars: Vec<String> = vars.iter().map(|(name, text)| format!("{}: {text}", value(name))).collect();
        format!(
            "reprise: 1\nname: {name}\nvars: {{{}}}\nscripts: {{{name}: {{file: {}}}}}\nload: {{{}}}\nphases: [{{{}}}]\n",
            vars.join(", "),
            value(&file),
            load.join(", "),
            phase.join(", ")
        )
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{BareArgs, is_scenario};

    #[test]
    fn the_options_make_the_scenario_that_one_would_write() {
        let args = BareArgs {
            clients: Some(8),
            jobs: Some(2),
            time: Some(60),
            protocol: Some("simple".to_owned()),
            rate: Some(12.5),
            latency_limit: Some(1.5),
            ..BareArgs::default()
        };
        let define = ["scale=10", "city=M\"x"].map(|d| d.parse().unwrap());
        insta::assert_snapshot!(args.scenario(Path::new("sql/Order-1.sql"), &define), @r#"
        reprise: 1
        name: order_1
        vars: {scale: 10, city: "M\"x"}
        scripts: {order_1: {file: Order-1.sql}}
        load: {clients: 8, threads: 2, protocol: simple, latency_limit: 1500us}
        phases: [{name: order_1, duration: 60s, rate: 12.5/s}]
        "#);
        insta::assert_snapshot!(BareArgs::default().scenario(Path::new("x.sql"), &[]), @r#"
        reprise: 1
        name: x
        vars: {scale: 1}
        scripts: {x: {file: x.sql}}
        load: {clients: 1}
        phases: [{name: x, transactions_per_client: 10}]
        "#);
    }

    #[test]
    fn a_scenario_keeps_its_load_for_itself() {
        assert!(BareArgs::default().refuse_beside_scenario().is_none());
        let args = BareArgs { connect: true, ..BareArgs::default() };
        assert!(args.refuse_beside_scenario().unwrap().message.contains("`-C`"));
    }

    #[test]
    fn a_scenario_is_told_from_a_script_by_its_path() {
        assert!(is_scenario(Path::new("a.YAML")) && is_scenario(Path::new("a.yml")) && !is_scenario(Path::new("yaml")));
    }
}
