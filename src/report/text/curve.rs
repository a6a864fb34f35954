//! Curves as rows of little bars.

use super::page::{INDENT, Page};
use crate::report::curve::{Curve, Curves};
use crate::report::quantity::{NONE, number};
use crate::term::spark::sparkline_below;
use crate::term::style::Tone;
use crate::term::table::{Cell, Column, Table};

/// How many columns a point takes.
const POINT: usize = 2;

/// Draws curves, a row each, all of one scale that begins at zero; nothing where the axis has one value.
pub(super) fn write(page: &mut Page, curves: &Curves, shown: impl Fn(f64) -> String) {
    let values = curves.values();
    let (Some(most), [first, .., last]) = (curves.most(), &values[..]) else { return };
    let columns = vec![
        Column::text(format!("{} over {}", curves.figure, curves.over)),
        Column::text(""),
        Column::number(format!("at {}", number(*first))),
        Column::number(format!("at {}", number(*last))),
        Column::text("most").droppable(),
    ];
    let mut table = Table::new(INDENT, columns);
    for line in &curves.lines {
        let bars = values.iter().flat_map(|at| std::iter::repeat_n(line.at(*at), POINT));
        let figure = |figure: Option<f64>| Cell::from(figure.map_or_else(|| NONE.to_owned(), &shown));
        table.row(vec![
            line.name.clone().into(),
            Cell::new(sparkline_below(bars, most), Tone::Value),
            figure(line.at(*first)),
            figure(line.at(*last)),
            greatest(line)
                .map_or_else(|| NONE.to_owned(), |(at, most)| format!("{} at {}", shown(most), number(at)))
                .into(),
        ]);
    }
    page.blank();
    page.table(&table);
}

/// The greatest figure of a line, and where it is.
fn greatest(line: &Curve) -> Option<(f64, f64)> {
    let points = line.points.iter().filter_map(|(at, figure)| Some((*at, (*figure)?)));
    points.reduce(|most, point| if point.1 > most.1 { point } else { most })
}
