//! The points of a matrix: a run for every combination of some variables' values.

/// The variables that are varied, in the order in which they were written; the last one varies fastest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MatrixPlan {
    /// Each with its values.
    pub axes: Vec<MatrixAxis>,
}

/// A variable with the values that it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatrixAxis {
    /// The variable.
    pub name: String,
    /// Its values, as text.
    pub values: Vec<String>,
}

impl MatrixPlan {
    /// The most points that one matrix may have.
    pub const MOST_POINTS: usize = 1000;

    /// How many points there are; one where nothing is varied.
    pub fn points(&self) -> usize {
        self.axes.iter().fold(1, |points, axis| points.saturating_mul(axis.values.len()))
    }

    /// The values of a point: which of its values each axis has there.
    pub fn point(&self, number: usize) -> Vec<(String, usize)> {
        let mut rest = number;
        let mut point: Vec<(String, usize)> = Vec::with_capacity(self.axes.len());
        for axis in self.axes.iter().rev() {
            let values = axis.values.len().max(1);
            point.push((axis.name.clone(), rest % values));
            rest /= values;
        }
        point.reverse();
        point
    }
}

#[cfg(test)]
mod tests {
    use super::{MatrixAxis, MatrixPlan};

    #[test]
    fn the_last_axis_varies_fastest() {
        let axis = |name: &str, values: &[&str]| MatrixAxis {
            name: name.to_owned(),
            values: values.iter().map(|&value| value.to_owned()).collect(),
        };
        let matrix = MatrixPlan { axes: vec![axis("a", &["1", "2"]), axis("b", &["x", "y", "z"])] };
        let points: Vec<(usize, usize)> = (0..matrix.points())
            .map(|number| {
                let point = matrix.point(number);
                (point[0].1, point[1].1)
            })
            .collect();
        assert_eq!(points, [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]);
        assert_eq!((MatrixPlan::default().points(), MatrixPlan::default().point(0)), (1, vec![]));
    }
}
