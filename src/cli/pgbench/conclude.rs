//! What a command line means as a whole. The order of the checks is that of pgbench, so that the first of several
//! faults is the same.

use super::options::{InitOptions, Job, LogOptions, Options, PartitionMethod, ProgressOptions, Stop};
use super::parse::{Draft, Stopped, error};

impl Draft<'_> {
    /// After the last option.
    pub(super) fn conclude(mut self) -> Result<Job, Stopped> {
        let scripts = std::mem::take(&mut self.scripts);
        self.options.scripts = scripts.finish(self.initialize, self.options.protocol)?;
        let mut operands = self.operands.iter();
        if self.connection.dbname.is_none() {
            self.connection.dbname = operands.next().map(|name| (*name).to_owned());
        }
        if let Some(extra) = operands.next() {
            return error(format!(
                "too many command-line arguments (first is \"{extra}\")\n{}",
                super::help_hint(self.program)
            ));
        }
        if self.initialize {
            self.initialization().map(Job::Initialize)
        } else {
            self.benchmark().map(|options| Job::Benchmark(Box::new(options)))
        }
    }

    fn initialization(self) -> Result<InitOptions, Stopped> {
        if self.has_run_option {
            return error("some of the specified options cannot be used in initialization (-i) mode");
        }
        let mut init = self.init;
        if self.partition_method.is_some() && init.partitions == 0 {
            return error("--partition-method requires greater than zero --partitions");
        }
        init.partition_method = self.partition_method.unwrap_or(PartitionMethod::Range);
        if self.options.no_vacuum {
            init.steps.retain(|step| step != 'v');
        }
        if self.foreign_keys && !init.steps.contains('f') {
            init.steps.push('f');
        }
        init.scale = self.options.scale.unwrap_or(1);
        init.debug = self.options.debug;
        init.connection = self.connection;
        Ok(init)
    }

    fn benchmark(self) -> Result<Options, Stopped> {
        if self.has_init_option {
            return error("some of the specified options cannot be used in benchmarking mode");
        }
        let mut options = self.options;
        options.stop = match (self.transactions, self.seconds) {
            (Some(_), Some(_)) => {
                return error("specify either a number of transactions (-t) or a duration (-T), not both");
            }
            (_, Some(seconds)) => Stop::Seconds(seconds),
            (Some(count), None) => Stop::Transactions(count),
            (None, None) => options.stop,
        };
        if self.sampling_rate.is_some() && !self.log {
            return error("log sampling (--sampling-rate) is allowed only when logging transactions (-l)");
        }
        if self.sampling_rate.is_some() && self.aggregate_interval.is_some() {
            return error(
                "log sampling (--sampling-rate) and aggregation (--aggregate-interval) cannot be used at the same time",
            );
        }
        if self.aggregate_interval.is_some() && !self.log {
            return error("log aggregation is allowed only when actually logging transactions");
        }
        if self.log_prefix.is_some() && !self.log {
            return error("log file prefix (--log-prefix) is allowed only when logging transactions (-l)");
        }
        if let (Some(interval), Some(duration)) = (self.aggregate_interval, self.seconds) {
            check_interval(interval, duration)?;
        }
        if self.progress_timestamp && self.progress.is_none() {
            return error("--progress-timestamp is allowed only under --progress");
        }
        if options.max_tries == 0 && options.latency_limit_us.is_none() && self.seconds.is_none() {
            return error(
                "an unlimited number of transaction tries can only be used with --latency-limit or a duration (-T)",
            );
        }
        options.jobs = options.jobs.min(options.clients);
        options.progress =
            self.progress.map(|interval_s| ProgressOptions { interval_s, timestamp: self.progress_timestamp });
        options.log = self.log.then(|| LogOptions {
            prefix: self.log_prefix.unwrap_or_else(|| "pgbench_log".to_owned()),
            sampling_rate: self.sampling_rate,
            aggregate_interval_s: self.aggregate_interval,
        });
        options.connection = self.connection;
        Ok(options)
    }
}

fn check_interval(interval: u32, duration: u32) -> Result<(), Stopped> {
    if interval > duration {
        return error(format!(
            "number of seconds for aggregation ({interval}) must not be higher than test duration ({duration})"
        ));
    }
    if !duration.is_multiple_of(interval) {
        return error(format!("duration ({duration}) must be a multiple of aggregation interval ({interval})"));
    }
    Ok(())
}
