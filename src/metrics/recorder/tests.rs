use super::*;

const SCRIPT: ScriptId = ScriptId(0);
const MS: Duration = Duration::from_millis(1);

fn times(start: Instant, [scheduled, started, acquired, finished]: [u32; 4]) -> TransactionTimes {
    TransactionTimes {
        scheduled: start + MS * scheduled,
        started: start + MS * started,
        acquired: start + MS * acquired,
        finished: start + MS * finished,
    }
}

#[test]
fn each_difference_of_instants_has_its_distribution() {
    let start = Instant::now();
    let mut recorder = Recorder::new(1, 0, &[MS * 10, MS * 20], start, Detail::Commands);
    recorder.transaction(SCRIPT, &times(start, [0, 0, 0, 9]), Acquisition::Pool, 1, false);
    recorder.transaction(SCRIPT, &times(start, [0, 1, 3, 10]), Acquisition::Pool, 3, true);
    let metrics = recorder.finish();
    let script = &metrics.scripts[0];
    assert_eq!((script.latency.min(), script.latency.max()), (Some(MS * 9), Some(MS * 10)));
    assert_eq!((script.service_time.min(), script.service_time.max()), (Some(MS * 7), Some(MS * 9)));
    assert_eq!((script.schedule_lag.count(), script.schedule_lag.mean()), (2, Some(MS / 2)));
    assert_eq!((script.pool_wait.min(), script.pool_wait.max()), (Some(Duration::ZERO), Some(MS * 2)));
    assert_eq!(script.below, [1, 2], "a latency of 10 ms is not below 10 ms");
    assert_eq!((script.counts.late, script.counts.retried, script.counts.retries), (1, 1, 2));
}

#[test]
fn in_the_closed_model_service_time_is_latency_and_there_is_no_lag() {
    let start = Instant::now();
    let mut recorder = Recorder::new(1, 0, &[], start, Detail::Commands);
    recorder.transaction(SCRIPT, &times(start, [0, 0, 0, 9]), Acquisition::Owned, 1, false);
    let script = &recorder.finish().scripts[0];
    assert_eq!(script.service_time, script.latency);
    assert!(script.schedule_lag.is_empty());
}

#[test]
fn without_detail_commands_leave_only_their_failures() {
    let mut recorder = Recorder::new(1, 1, &[], Instant::now(), Detail::Transactions);
    recorder.command(CommandId(0), MS, 1);
    recorder.command_failed(CommandId(0));
    let metrics = recorder.finish();
    assert!(metrics.commands[0].histogram.is_empty());
    assert_eq!((metrics.commands[0].rows, metrics.commands[0].failures), (0, 1));
}

#[test]
fn the_samples_of_all_workers_add_up_to_the_phase() {
    let start = Instant::now();
    let mut phase = PhaseMetrics::default();
    for worker in 0..3 {
        let mut recorder = Recorder::new(1, 0, &[], start, Detail::Transactions);
        recorder.transaction(SCRIPT, &times(start, [0, 0, 0, 5 + worker]), Acquisition::Owned, 1, false);
        assert_eq!(recorder.take_sample(start + MS * (999 + worker)).counters.transactions, 1);
        recorder.skipped(None);
        recorder.failed(SCRIPT, &times(start, [0; 4]), Acquisition::Owned, 1, FailureClass::Deadlock);
        phase.merge(&recorder.finish());
    }
    let seconds = &phase.timeline.seconds;
    assert_eq!(seconds.keys().collect::<Vec<_>>(), [&0, &1]);
    assert_eq!((seconds[&0].counters.transactions, seconds[&0].latency.max), (3, 7_000_000));
    assert_eq!(seconds[&0].percentile(100.0), Some(MS * 7));
    assert_eq!((seconds[&1].counters.skipped, seconds[&1].counters.failed_of(FailureClass::Deadlock)), (3, 3));
    assert_eq!(phase.total().counts.total(), 9);
}

#[test]
fn an_error_keeps_its_first_message_and_its_times() {
    let start = Instant::now();
    let mut phase = PhaseMetrics::default();
    for (worker, at) in [(0, 7), (1, 3), (2, 9)] {
        let mut recorder = Recorder::new(1, 1, &[], start, Detail::Transactions);
        recorder.error(&FailureEvent {
            class: FailureClass::Deadlock,
            sqlstate: *b"40P01",
            script: SCRIPT,
            command: None,
            message: &format!("deadlock detected by {worker}"),
            at: start + MS * at,
        });
        phase.merge(&recorder.finish());
    }
    let entries = phase.errors.entries();
    let [(kind, entry)] = entries.as_slice() else { panic!("one kind, not {}", entries.len()) };
    assert_eq!(kind.sqlstate, *b"40P01");
    assert_eq!((entry.count, entry.message.as_str()), (3, "deadlock detected by 1"));
    assert_eq!((entry.first, entry.last), (MS * 3, MS * 9));
}

#[test]
fn kinds_beyond_the_cap_are_counted_as_dropped() {
    let start = Instant::now();
    let mut recorder = Recorder::new(1, 2000, &[], start, Detail::Transactions);
    for command in 0..1500 {
        recorder.error(&FailureEvent {
            class: FailureClass::Other,
            sqlstate: *b"XX000",
            script: SCRIPT,
            command: Some(CommandId(command)),
            message: "no",
            at: start,
        });
    }
    let errors = recorder.finish().errors;
    assert_eq!((errors.entries().len(), errors.dropped()), (1000, 500));
}
