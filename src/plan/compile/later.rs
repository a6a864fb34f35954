//! Sections that this version checks and can't run yet.

use super::values::Values;
use crate::scenario::Scenario;

/// Notes each section that can't be run.
pub(super) fn check_later(scenario: &Scenario, values: &mut Values<'_>) {
    if let Some(reset) = &scenario.reset {
        values.later("`reset`", reset.span);
    }
}
