//! What a publication says, and whether it is so here.

use super::page::Page;
use crate::report::claims::{ClaimReport, ClaimVerdict};
use crate::report::metric::figure;
use crate::report::quantity::{count, ratio};
use crate::term::style::Tone;

/// How wide the widest verdict is, with what stands around it.
const VERDICTS: usize = 18;

pub(super) fn write(page: &mut Page, claims: &[ClaimReport]) {
    if claims.is_empty() {
        return;
    }
    let of = |verdict| claims.iter().filter(|claim| claim.verdict == verdict).count();
    let mut remark = vec![format!("{} of {} reproduced", of(ClaimVerdict::Reproduced), claims.len())];
    let apart = of(ClaimVerdict::NotComparable);
    remark.extend((apart > 0).then(|| format!("{apart} not comparable")));
    page.section("Claims", &remark.join(", "));
    for claim in claims {
        let tone = match claim.verdict {
            ClaimVerdict::Reproduced => Tone::Better,
            ClaimVerdict::NotReproduced => Tone::Worse,
            ClaimVerdict::NotComparable => Tone::Muted,
        };
        let lead = format!("  {}", page.paint(tone, claim.verdict.words()));
        page.hanging(&lead, VERDICTS, &format!("{}: {}", claim.name(), found(claim)), Tone::Plain);
    }
}

/// What was found: `1,950.0, which is 1.00x of 1,946.0`.
fn found(claim: &ClaimReport) -> String {
    let shown = |value: f64| figure(value, claim.unit);
    let measured = match (claim.measured, claim.expected, claim.ratio) {
        (Some(measured), Some(expected), Some(by)) => {
            format!("{}, which is {} of {}", shown(measured), ratio(by), shown(expected))
        }
        (Some(measured), Some(expected), None) => format!("{}, against {}", shown(measured), shown(expected)),
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it counts failed tries")]
        (Some(measured), None, _) if claim.verdict != ClaimVerdict::NotComparable => match measured as u64 {
            0 => "never".to_owned(),
            1 => "once".to_owned(),
            times => format!("{} times", count(times)),
        },
        (Some(measured), None, _) => shown(measured),
        (None, ..) => String::new(),
    };
    match &claim.reason {
        Some(reason) if measured.is_empty() => reason.clone(),
        Some(reason) => format!("{reason} (measured: {measured})"),
        None => measured,
    }
}
