//! The report as what somebody published: YAML to paste into a scenario, beside which later runs are shown.

use std::fmt::Write as _;

use super::Report;
use super::phase::PhaseReport;
use super::quantity::{self, microseconds};

/// The key `published` with its value. A server's hardware is known only where it is the client's.
pub fn render(report: &Report) -> String {
    let server = &report.environment.server;
    let client = &report.environment.client;
    let mut out = String::from("published:\n");
    let _ = writeln!(out, "  title: {}", quoted(&format!("{}, measured by reprise", report.scenario.name)));
    let _ = writeln!(out, "  date: {}", report.started.split('T').next().unwrap_or_default());
    out.push_str("  systems:\n");
    let _ = writeln!(out, "    - name: {}", quoted(if client.name.is_empty() { "here" } else { &client.name }));
    if let Some(version) = server.version.split_whitespace().next() {
        let _ = writeln!(out, "      version: {}", quoted(version));
    }
    if server.embedded {
        let cpus = client.cpus.map(|cpus| format!("cpus: {cpus}"));
        let memory = client.memory_bytes.map(|bytes| format!("memory: {}", quoted(&quantity::bytes(bytes))));
        let model = client.cpu_model.as_ref().map(|model| format!("note: {}", quoted(model)));
        let hardware: Vec<String> = [cpus, memory, model].into_iter().flatten().collect();
        if !hardware.is_empty() {
            let _ = writeln!(out, "      hardware: {{{}}}", hardware.join(", "));
        }
    }
    if !server.settings.is_empty() {
        out.push_str("      settings:\n");
        for (name, value) in &server.settings {
            let _ = writeln!(out, "        {}: {}", quoted(name), quoted(value));
        }
    }
    out.push_str("      results:\n");
    let measured: Vec<&PhaseReport> = report.phases.iter().filter(|phase| phase.measured).collect();
    for phase in &measured {
        let prefix = if measured.len() > 1 { format!("{}.", phase.name) } else { String::new() };
        results(&mut out, &prefix, phase);
    }
    out
}

fn results(out: &mut String, prefix: &str, phase: &PhaseReport) {
    let total = &phase.total;
    let mut line = |name: &str, value: String| {
        let _ = writeln!(out, "        {prefix}{name}: {value}");
    };
    line("transactions", total.transactions.to_string());
    line("failed", total.failed.to_string());
    if let Some(tps) = phase.tps {
        line("tps", format!("{tps:.3}"));
    }
    let latency = &total.latency;
    let of = |d: Option<std::time::Duration>| d.map(|d| d.as_nanos() as f64);
    let times = [
        ("latency.avg", latency.mean_ns()),
        ("latency.median", of(latency.percentile(50.0))),
        ("latency.p95", of(latency.percentile(95.0))),
        ("latency.p99", of(latency.percentile(99.0))),
        ("latency.max", of(latency.max())),
    ];
    for (name, ns) in times {
        if let Some(ns) = ns {
            line(name, format!("{}us", microseconds(ns)));
        }
    }
}

/// Text in double quotes, as JSON and YAML both have it.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
