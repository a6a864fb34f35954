//! Names of figures: `[phase.][script.][label.]name[.stat]`.

use std::time::Duration;

use super::ScenarioError;
use super::values::Values;
use crate::plan::metric::{Metric, MetricRef, Stat};
use crate::scenario::Scalar;
use crate::source::Span;
use crate::suggest::nearest;

/// The names that figures can have before them.
#[derive(Debug, Clone, Default)]
pub(super) struct MetricNames {
    pub(super) phases: Vec<String>,
    pub(super) scripts: Vec<String>,
    /// Each with its script.
    pub(super) labels: Vec<(String, String)>,
    /// Loads in the background, whose figures no name leads to.
    pub(super) backgrounds: Vec<String>,
    /// Phases that the profile leaves out; figures of theirs are left out with them.
    pub(super) skipped: Vec<String>,
    /// The steps that have a name.
    pub(super) steps: Vec<String>,
    /// Metrics of the scenario's own.
    pub(super) own: Vec<String>,
    /// Those of them that are taken again and again.
    pub(super) curves: Vec<String>,
}

/// The figures that every run has.
const FIGURES: [&str; 13] = [
    "tps",
    "transactions",
    "failed",
    "skipped",
    "late",
    "retries",
    "unfinished",
    "latency",
    "service_time",
    "schedule_lag",
    "pool_wait",
    "connection_time",
    "seconds",
];

/// The classes of failure, as `failed.deadlock` names them.
const CLASSES: [&str; 11] = [
    "connect",
    "pool_timeout",
    "serialization",
    "deadlock",
    "constraint",
    "syntax",
    "timeout",
    "disconnect",
    "assertion",
    "script",
    "other",
];

impl MetricNames {
    /// Whether a name begins with a phase that the profile leaves out.
    pub(super) fn is_of_skipped(&self, name: &Scalar) -> bool {
        let first = name.text.split('.').next().unwrap_or_default().trim();
        self.skipped.iter().any(|skipped| skipped == first) && !self.phases.iter().any(|phase| phase == first)
    }
}

/// The statistics that have a name of their own.
const STATS: [&str; 5] = ["avg", "stddev", "min", "max", "median"];

/// Whether a name means something in figures already, so that no metric can have it.
pub(super) fn is_taken(name: &str) -> bool {
    let percentile = name.strip_prefix('p').is_some_and(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit()));
    percentile || name == "count" || FIGURES.contains(&name) || STATS.contains(&name) || CLASSES.contains(&name)
}

/// Resolves a name; `None` where it names nothing, which is noted.
pub(super) fn resolve_metric(name: &Scalar, names: &MetricNames, values: &mut Values<'_>) -> Option<MetricRef> {
    let tokens = tokens(&name.text);
    let resolver = Resolver { name, names };
    match resolver.resolve(&tokens, values) {
        Ok(metric) => Some(metric),
        Err((reason, help)) => {
            let text = name.text.trim().to_owned();
            values.fault(ScenarioError::InvalidMetric { text, reason, span: name.span, help });
            None
        }
    }
}

/// What is wrong, and what to do about it.
type Misfit = (String, Option<String>);

struct Resolver<'a> {
    name: &'a Scalar,
    names: &'a MetricNames,
}

impl Resolver<'_> {
    fn resolve(&self, tokens: &[&str], values: &mut Values<'_>) -> Result<MetricRef, Misfit> {
        let is_figure = |token: &&str| FIGURES.contains(token) || self.names.own.iter().any(|own| own == token);
        let Some(at) = tokens.iter().rposition(is_figure) else {
            let last = tokens.last().copied().unwrap_or("");
            let own = self.names.own.iter().map(String::as_str);
            let near = tokens
                .iter()
                .rev()
                .find_map(|token| Some((*token, nearest(token, FIGURES.into_iter().chain(own.clone()))?)));
            let last = near.map_or(last, |(token, _)| token);
            let help = short_form(tokens).or_else(|| near.map(|(_, near)| format!("did you mean `{near}`?")));
            let help = help.or_else(|| Some(format!("figures are {}", FIGURES.map(|f| format!("`{f}`")).join(", "))));
            return Err((format!("there is no `{last}`"), help));
        };
        let (before, figure, after) = (&tokens[..at], tokens[at], &tokens[at + 1..]);
        let mut metric = MetricRef {
            text: self.name.text.trim().to_owned(),
            phase: None,
            script: None,
            label: None,
            metric: self.figure(figure, before, after)?,
            stat: None,
            share: false,
        };
        if !matches!(metric.metric, Metric::Seconds(_)) {
            self.prefix(before, &mut metric)?;
        }
        metric.stat = self.stat(&metric.metric, figure, after, values)?;
        self.check_scope(&metric, figure)?;
        Ok(metric)
    }

    /// Whether what stands before a figure has it.
    fn check_scope(&self, metric: &MetricRef, figure: &str) -> Result<(), Misfit> {
        let counted = matches!(metric.stat, Some(Stat::CountBelow(_)));
        if counted && metric.metric != Metric::Latency {
            let help = "write `latency.count(<…)`, or a percentile of this figure".to_owned();
            return Err((
                format!("how many were shorter is counted of `latency` alone, not of `{figure}`"),
                Some(help),
            ));
        }
        if metric.label.is_some() {
            let of_statement = match metric.metric {
                Metric::Transactions | Metric::Failed(None) | Metric::Retries => true,
                Metric::Latency => !counted,
                _ => false,
            };
            if !of_statement {
                let help = "a statement has `transactions`, `failed`, `retries` and `latency` with its statistics";
                return Err((format!("a statement has no `{figure}`"), Some(help.to_owned())));
            }
        }
        if let Metric::Own(own) = &metric.metric {
            if metric.script.is_some() || metric.label.is_some() {
                return Err((format!("`{own}` is of no script"), Some(format!("write `{own}`"))));
            }
            if metric.phase.is_some() && !self.is_curve(own) {
                let help = format!("write `{own}`, or take it `every` so often");
                return Err((format!("`{own}` is taken once, and not in a phase"), Some(help)));
            }
        }
        Ok(())
    }

    fn is_curve(&self, own: &str) -> bool {
        self.names.curves.iter().any(|curve| curve == own)
    }

    fn figure(&self, figure: &str, before: &[&str], after: &[&str]) -> Result<Metric, Misfit> {
        Ok(match figure {
            "tps" => Metric::Tps,
            "transactions" => Metric::Transactions,
            "failed" => match after.first() {
                None => Metric::Failed(None),
                Some(class) if CLASSES.contains(class) => Metric::Failed(Some((*class).to_owned())),
                Some(class) => {
                    let help = nearest(class, CLASSES).map(|near| format!("did you mean `failed.{near}`?"));
                    let help = help.or_else(|| Some(format!("classes are {}", CLASSES.join(", "))));
                    return Err((format!("there is no class of failure `{class}`"), help));
                }
            },
            "skipped" => Metric::Skipped,
            "late" => Metric::Late,
            "retries" => Metric::Retries,
            "unfinished" => Metric::Unfinished,
            "latency" => Metric::Latency,
            "service_time" => Metric::ServiceTime,
            "schedule_lag" => Metric::ScheduleLag,
            "pool_wait" => Metric::PoolWait,
            "connection_time" => Metric::ConnectionTime,
            "seconds" => match before {
                [step] if self.names.steps.iter().any(|known| known == step) => Metric::Seconds((*step).to_owned()),
                [step] => {
                    let near = nearest(step, self.names.steps.iter().map(String::as_str));
                    let help = near.map(|near| format!("did you mean `{near}.seconds`?")).or_else(|| {
                        Some(match &self.names.steps[..] {
                            [] => "give the step a `name`".to_owned(),
                            steps => format!("steps with a name: {}", steps.join(", ")),
                        })
                    });
                    return Err((format!("no step is named `{step}`"), help));
                }
                _ => return Err(("`seconds` is of one step".to_owned(), Some("write `STEP.seconds`".to_owned()))),
            },
            own => Metric::Own(own.to_owned()),
        })
    }

    /// `[phase.][script.][label.]`
    fn prefix(&self, before: &[&str], metric: &mut MetricRef) -> Result<(), Misfit> {
        for token in before {
            let owned = Some((*token).to_owned());
            let named = |names: &[String]| names.iter().any(|name| name == token);
            let of_script = |(script, label): &(String, String)| {
                label == token && metric.script.as_ref().is_none_or(|s| s == script)
            };
            if metric.phase.is_none() && metric.script.is_none() && metric.label.is_none() && named(&self.names.phases)
            {
                metric.phase = owned;
            } else if metric.script.is_none() && metric.label.is_none() && named(&self.names.scripts) {
                metric.script = owned;
            } else if metric.label.is_none() && self.names.labels.iter().any(of_script) {
                metric.label = owned;
            } else if named(&self.names.backgrounds) {
                let help = "the report shows its figures; what is to be judged has to be in a phase's `mix`";
                return Err((
                    format!("`{token}` runs in the background, and no rule names its figures"),
                    Some(help.to_owned()),
                ));
            } else {
                let labels = self.names.labels.iter().map(|(_, label)| label);
                let known = self.names.phases.iter().chain(&self.names.scripts).chain(labels);
                let help = nearest(token, known.map(String::as_str)).map(|near| format!("did you mean `{near}`?"));
                let help =
                    help.or_else(|| Some("a figure may have a phase, a script and a label before it".to_owned()));
                return Err((format!("`{token}` is no phase, script or label here"), help));
            }
        }
        Ok(())
    }

    fn stat(
        &self,
        metric: &Metric,
        figure: &str,
        after: &[&str],
        values: &mut Values<'_>,
    ) -> Result<Option<Stat>, Misfit> {
        let times = metric.is_time();
        let after = if matches!(metric, Metric::Failed(Some(_))) { &after[1..] } else { after };
        match (times, after) {
            (false, []) => Ok(None),
            (false, [stat]) if matches!(metric, Metric::Own(_)) => self.curve_stat(stat, figure).map(Some),
            (false, [extra, ..]) => {
                Err((format!("`{figure}` has no `{extra}`"), Some(format!("write `{figure}` alone"))))
            }
            (true, [stat]) => self.one_stat(stat, figure, values).map(Some),
            (true, []) => {
                let help = format!("write `{figure}.avg`, `{figure}.median`, `{figure}.p99`, `{figure}.count(<1s)`, …");
                Err((format!("`{figure}` needs a statistic"), Some(help)))
            }
            (true, [_, extra, ..]) => Err((format!("`{extra}` is one name too many"), None)),
        }
    }

    fn one_stat(&self, stat: &str, figure: &str, values: &mut Values<'_>) -> Result<Stat, Misfit> {
        Ok(match stat {
            "avg" => Stat::Avg,
            "stddev" => Stat::Stddev,
            "min" => Stat::Min,
            "max" => Stat::Max,
            "median" => Stat::Percentile(50.0),
            _ => {
                let percentile = stat.strip_prefix('p').and_then(|p| p.parse::<f64>().ok());
                if let Some(percentile) = percentile.filter(|p| (0.0..=100.0).contains(p)) {
                    return Ok(Stat::Percentile(percentile));
                }
                if let Some(bound) = stat.strip_prefix("count(<").and_then(|rest| rest.strip_suffix(')')) {
                    return self.bound(bound, values);
                }
                let help = nearest(stat, STATS).map(|near| format!("did you mean `{figure}.{near}`?"));
                let list = "statistics are avg, stddev, min, max, median, p0 to p100 and count(<DURATION)".to_owned();
                return Err((format!("`{stat}` is no statistic"), help.or(Some(list))));
            }
        })
    }

    /// A statistic of the scenario's own metric, which is a curve then.
    fn curve_stat(&self, stat: &str, figure: &str) -> Result<Stat, Misfit> {
        if !self.is_curve(figure) {
            let help = format!("write `{figure}` alone, or take it `every` so often");
            return Err((format!("`{figure}` is one value, so it has no `{stat}`"), Some(help)));
        }
        match stat {
            "avg" => Ok(Stat::Avg),
            "min" => Ok(Stat::Min),
            "max" => Ok(Stat::Max),
            _ => {
                let help = format!("write `{figure}` for its last value, or `{figure}.avg`, `.min` or `.max`");
                Err((format!("`{stat}` is no statistic of a curve"), Some(help)))
            }
        }
    }

    fn bound(&self, text: &str, values: &mut Values<'_>) -> Result<Stat, Misfit> {
        let scalar = made_up(text, self.name.span);
        match values.duration(&scalar, "`count(<…)`") {
            Some(bound) if bound > Duration::ZERO => Ok(Stat::CountBelow(bound)),
            _ => Err((format!("`{text}` is no bound"), Some("write a duration: `count(<5s)`".to_owned()))),
        }
    }
}

/// What a statistic without its figure was meant to be: `p95` for `latency.p95`.
fn short_form(tokens: &[&str]) -> Option<String> {
    let (last, before) = tokens.split_last()?;
    if matches!(*last, "errors" | "failures" | "error" | "failure") {
        return Some(format!(
            "did you mean `{}failed`?",
            before.iter().flat_map(|token| [*token, "."]).collect::<String>()
        ));
    }
    let stat = match *last {
        "mean" | "average" => "avg",
        "p50" | "med" => "median",
        "sd" | "std" => "stddev",
        stat if STATS.contains(&stat) || stat.strip_prefix('p').is_some_and(|p| p.parse::<f64>().is_ok()) => stat,
        _ => return None,
    };
    let before: String = before.iter().flat_map(|token| [*token, "."]).collect();
    Some(format!("did you mean `{before}latency.{stat}`?"))
}

/// The parts between the dots; a dot inside of parentheses or of a percentile's number parts nothing.
fn tokens(text: &str) -> Vec<&str> {
    let text = text.trim();
    let (mut tokens, mut start, mut depth) = (Vec::new(), 0, 0_u32);
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '.' if depth == 0 => {
                let token = &text[start..at];
                let percentile =
                    token.strip_prefix('p').is_some_and(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit()));
                let digits = text[at + 1..].starts_with(|c: char| c.is_ascii_digit());
                if !(percentile && digits) {
                    tokens.push(token);
                    start = at + 1;
                }
            }
            _ => {}
        }
    }
    tokens.push(&text[start..]);
    tokens
}

/// The place of a metric's bound among the counters that a run keeps.
pub(super) fn note_bound(metric: &MetricRef, bounds: &mut Vec<Duration>) {
    if let Some(Stat::CountBelow(bound)) = metric.stat
        && let Err(at) = bounds.binary_search(&bound)
    {
        bounds.insert(at, bound);
    }
}

/// A scalar made up from a part of a text whose place can't be told apart.
pub(super) fn made_up(text: &str, span: Span) -> Scalar {
    Scalar { text: text.to_owned(), span, lines: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::tokens;

    #[test]
    fn dots_part_names_but_not_numbers() {
        assert_eq!(tokens("steady.pay.latency.p99.9"), ["steady", "pay", "latency", "p99.9"]);
        assert_eq!(tokens("latency.count(<0.5s)"), ["latency", "count(<0.5s)"]);
        assert_eq!(tokens("p1.latency.avg"), ["p1", "latency", "avg"]);
    }
}
