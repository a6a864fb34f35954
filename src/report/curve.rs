//! A figure over a variable that takes several values: what a matrix, or a search for a rate, looks like.

/// One line of a chart: the figures at some values of a variable, in their order.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// What it is a line of: the values of the other variables, `protocol = simple`; empty where there are none.
    pub name: String,
    /// Each value with the figure there; none where there is no figure.
    pub points: Vec<(f64, Option<f64>)>,
}

/// The curves of a figure over one variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Curves {
    /// The variable, or what else lies on the axis.
    pub over: String,
    /// What the figure is: `tps`.
    pub figure: String,
    /// The lines, in the order in which their first points were met.
    pub lines: Vec<Curve>,
}

impl Curve {
    /// The figure at a value.
    pub fn at(&self, value: f64) -> Option<f64> {
        self.points.iter().find(|(at, _)| at.total_cmp(&value).is_eq()).and_then(|(_, figure)| *figure)
    }
}

impl Curves {
    /// None as yet.
    pub fn new(over: &str, figure: &str) -> Self {
        Self { over: over.to_owned(), figure: figure.to_owned(), lines: Vec::new() }
    }

    /// Adds a point to the line of this name; the points of a line are kept in the order of their values.
    pub fn add(&mut self, name: &str, at: f64, figure: Option<f64>) {
        let known = self.lines.iter().position(|line| line.name == name).unwrap_or_else(|| {
            self.lines.push(Curve { name: name.to_owned(), points: Vec::new() });
            self.lines.len() - 1
        });
        let points = &mut self.lines[known].points;
        let place = points.partition_point(|(known, _)| *known <= at);
        points.insert(place, (at, figure));
    }

    /// All values on the axis, ascending, each once.
    pub fn values(&self) -> Vec<f64> {
        let mut values: Vec<f64> = self.lines.iter().flat_map(|line| &line.points).map(|(at, _)| *at).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        values
    }

    /// The greatest figure of all.
    pub fn most(&self) -> Option<f64> {
        let figures = self.lines.iter().flat_map(|line| &line.points).filter_map(|(_, figure)| *figure);
        figures.filter(|figure| figure.is_finite()).reduce(f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::Curves;

    #[test]
    fn points_come_in_any_order_and_lines_may_lack_some() {
        let mut curves = Curves::new("clients", "tps");
        curves.add("simple", 10.0, Some(5.0));
        curves.add("prepared", 100.0, Some(9.0));
        curves.add("simple", 1.0, None);
        assert_eq!(curves.values(), [1.0, 10.0, 100.0]);
        assert_eq!(curves.most(), Some(9.0));
        assert_eq!(curves.lines[0].points, [(1.0, None), (10.0, Some(5.0))]);
        assert_eq!(Curves::new("a", "b").most(), None);
    }
}
