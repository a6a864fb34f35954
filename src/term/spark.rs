//! Figures as a row of little bars.

/// From the lowest to the highest.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// One bar for each figure, from zero to the greatest of them; a blank where there is no figure.
pub fn sparkline(figures: impl IntoIterator<Item = Option<f64>>) -> String {
    let figures: Vec<Option<f64>> = figures.into_iter().collect();
    let most = figures.iter().flatten().copied().filter(|figure| figure.is_finite()).fold(0.0, f64::max);
    sparkline_below(figures, most)
}

/// The same from zero to `most`, so that several have one scale.
pub fn sparkline_below(figures: impl IntoIterator<Item = Option<f64>>, most: f64) -> String {
    let known = |figure: Option<f64>| figure.filter(|figure| figure.is_finite());
    figures.into_iter().map(|figure| known(figure).map_or(' ', |figure| bar_of(figure, most))).collect()
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it lies between 0 and 7")]
fn bar_of(figure: f64, most: f64) -> char {
    if most <= 0.0 {
        return BARS[0];
    }
    BARS[((figure / most).clamp(0.0, 1.0) * 7.0).round() as usize]
}

/// A bar of `width` columns of which a part is done.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the part is clamped")]
pub fn progress_bar(part: f64, width: usize) -> String {
    let part = if part.is_finite() { part.clamp(0.0, 1.0) } else { 0.0 };
    let done = (part * width as f64).round() as usize;
    "━".repeat(done) + &"─".repeat(width - done)
}

#[cfg(test)]
mod tests {
    use super::{progress_bar, sparkline};

    #[test]
    fn the_greatest_is_the_highest_and_nothing_is_blank() {
        assert_eq!(sparkline([Some(0.0), Some(1.0), None, Some(3.5), Some(7.0)]), "▁▂ ▅█");
        assert_eq!(sparkline([Some(0.0), Some(f64::NAN), Some(-2.0)]), "▁ ▁");
        assert_eq!(sparkline([]), "");
    }

    #[test]
    fn a_bar_is_as_wide_as_it_is_asked_to_be() {
        assert_eq!(progress_bar(0.25, 8), "━━──────");
        assert_eq!([progress_bar(2.0, 3), progress_bar(f64::NAN, 3), progress_bar(0.5, 0)], ["━━━", "───", ""]);
    }
}
