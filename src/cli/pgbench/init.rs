//! `pgbench -i`: tables made, and told of as pgbench tells.

use std::fmt::Write as _;
use std::io::Write;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use super::connect;
use super::options::{InitOptions, PartitionMethod};
use super::run::Ended;
use super::wording;
use crate::pg::{Error, OpenOptions, ServerError};
use crate::plan::InitPlan;
use crate::plan::initialization::{self, InitStep};
use crate::setup::Cancel;
use crate::setup::pgbench::{self, InitError, InitObserver, InitPlace};

/// With `-q`, a line after each so many seconds.
const QUIET_SECONDS: u64 = 5;

/// Without it, a line after each so many rows.
const LOUD_ROWS: u64 = 100_000;

/// With `-q`, only rows of these numbers are looked at: a table of fewer rows is filled without a word.
const QUIET_ROWS: u64 = 100;

/// Does what the command line asks for; everything is told on `err`.
pub(crate) async fn initialize(program: &str, options: &InitOptions, err: &mut dyn Write, is_terminal: bool) -> Ended {
    match attempt(program, options, err, is_terminal).await {
        Ok(()) => Ended::Fine,
        Err(message) => Ended::Failed(wording::tagged(program, &message)),
    }
}

async fn attempt(program: &str, options: &InitOptions, err: &mut dyn Write, is_terminal: bool) -> Result<(), String> {
    let plan = plan(options)?;
    let (target, opened) = connect::open_bare(program, &options.connection, "initialization").await?;
    let open = OpenOptions::default();
    // until here a signal ends the program, as there is nothing to be cancelled
    let (ask, asked) = watch::channel(false);
    let mut interrupts = signal(SignalKind::interrupt()).map_err(|error| error.to_string())?;
    let passed_on = async {
        interrupts.recv().await;
        ask.send_replace(true);
        // who asks for the third time is not kept waiting for a server that does not answer
        interrupts.recv().await;
        interrupts.recv().await;
    };
    let place = InitPlace { target: &target, options: &open, settings: &[] };
    let mut told = Told::new(options.quiet, is_terminal, err);
    let cancel = Cancel::new(asked);
    let done = tokio::select! {
        done = pgbench::initialize(&plan, place, opened, &mut told, &cancel) => done,
        () = passed_on => Err(InitError::Cancelled),
    };
    told.clear();
    match done {
        Ok(_) => {
            told.finish();
            Ok(())
        }
        Err(error) => Err(told.failure(&error)),
    }
}

fn plan(options: &InitOptions) -> Result<InitPlan, String> {
    let unknown = |letter| format!("unrecognized initialization step \"{letter}\"");
    Ok(InitPlan {
        scale: options.scale,
        steps: InitStep::of_letters(&options.steps).map_err(unknown)?,
        fillfactor: options.fillfactor,
        unlogged_tables: options.unlogged_tables,
        partitions: options.partitions,
        partition_method: match options.partition_method {
            PartitionMethod::Range => initialization::PartitionMethod::Range,
            PartitionMethod::Hash => initialization::PartitionMethod::Hash,
        },
        tablespace: options.tablespace.clone(),
        index_tablespace: options.index_tablespace.clone(),
        jobs: options.jobs,
    })
}

fn no_session(error: &Error) -> String {
    format!("{}\nerror: could not create connection for initialization", wording::connection(error))
}

/// Tells how it goes on, in pgbench's lines.
struct Told<'a> {
    quiet: bool,
    /// Whether lines of progress take each other's place.
    is_terminal: bool,
    err: &'a mut dyn Write,
    table: &'static str,
    /// How wide the line of progress is that stands there.
    width: usize,
    /// The next second at which a quiet line is due.
    due: u64,
    elapsed: Duration,
    steps: String,
}

impl<'a> Told<'a> {
    fn new(quiet: bool, is_terminal: bool, err: &'a mut dyn Write) -> Self {
        let (elapsed, steps) = (Duration::ZERO, String::new());
        Self { quiet, is_terminal, err, table: "", width: 0, due: QUIET_SECONDS, elapsed, steps }
    }

    /// A line; a standard error that is closed has nobody to be told.
    fn line(&mut self, text: &str) {
        let _ = self.err.write_all(format!("{text}\n").as_bytes());
    }

    fn is_due(&mut self, done: u64, of: u64, elapsed: Duration) -> bool {
        if !self.quiet {
            return done.is_multiple_of(LOUD_ROWS);
        }
        let due = done.is_multiple_of(QUIET_ROWS) && (done == of || elapsed.as_secs() >= self.due);
        if due {
            self.due = (elapsed.as_secs() / QUIET_SECONDS + 1) * QUIET_SECONDS;
        }
        due
    }

    /// Takes away a line of progress that stays in its place.
    fn clear(&mut self) {
        let width = std::mem::take(&mut self.width);
        if width > 0 && self.is_terminal {
            let _ = self.err.write_all(format!("{:width$}\r", "").as_bytes());
        }
    }

    fn finish(&mut self) {
        let text = format!("done in {:.2} s ({}).", self.elapsed.as_secs_f64(), self.steps);
        self.line(&text);
    }

    /// The last words after a failure; what libpq would say by itself is said before.
    fn failure(&mut self, error: &InitError) -> String {
        match error {
            InitError::Open(error) => no_session(error),
            InitError::Statement { sql, error } => {
                format!("query failed: {}\ndetail: Query was: {sql}", wording::statement(error, sql))
            }
            InitError::CopyRefused { sql, error } => {
                format!("unexpected copy in result: {}", wording::statement(error, sql))
            }
            InitError::Copy { error, .. } => {
                let text = match error {
                    Error::Server(error) => error.libpq_text(None),
                    other => other.to_string(),
                };
                self.line(&text);
                "PQendcopy failed".to_owned()
            }
            InitError::Cancelled => "initialization was interrupted".to_owned(),
        }
    }
}

impl InitObserver for Told<'_> {
    fn step_started(&mut self, step: InitStep) {
        self.line(match step {
            InitStep::DropTables => "dropping old tables...",
            InitStep::CreateTables => "creating tables...",
            InitStep::GenerateClientSide => "generating data (client-side)...",
            InitStep::GenerateServerSide => "generating data (server-side)...",
            InitStep::Vacuum => "vacuuming...",
            InitStep::PrimaryKeys => "creating primary keys...",
            InitStep::ForeignKeys => "creating foreign keys...",
        });
    }

    fn partitions_started(&mut self, count: u32) {
        self.line(&format!("creating {count} partitions..."));
    }

    fn rows_sent(&mut self, table: &'static str, done: u64, of: u64, elapsed: Duration) {
        if self.table != table {
            (self.table, self.due, self.width) = (table, QUIET_SECONDS, 0);
        }
        if self.is_due(done, of, elapsed) {
            let percent = done * 100 / of;
            let seconds = elapsed.as_secs_f64();
            let remaining = (of - done) as f64 * seconds / done as f64;
            let text = format!(
                "{done} of {of} tuples ({percent}%) of {table} done (elapsed {seconds:.2} s, remaining {remaining:.2} s)"
            );
            let padding = self.width.saturating_sub(text.len());
            let end = if self.is_terminal { '\r' } else { '\n' };
            let _ = self.err.write_all(format!("{text}{:padding$}{end}", "").as_bytes());
            self.width = text.len();
        }
        if done == of {
            self.clear();
        }
    }

    fn noticed(&mut self, notice: &ServerError) {
        self.line(&notice.libpq_text(None));
    }

    fn cancel_requested(&mut self, sent: Result<(), Error>) {
        match sent {
            Ok(()) => self.line("Cancel request sent"),
            Err(error) => self.line(&format!("Could not send cancel request: {error}")),
        }
    }

    fn step_finished(&mut self, step: InitStep, _: u64, elapsed: Duration) {
        let separator = if self.steps.is_empty() { "" } else { ", " };
        // writing to a string does not fail
        let _ = write!(self.steps, "{separator}{} {:.2} s", step.name(), elapsed.as_secs_f64());
        self.elapsed += elapsed;
    }
}
