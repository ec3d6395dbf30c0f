//! Picture of all points: operations a second over latency, one panel per part.

use super::{Kind, Point, dominated};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::error::Error;

/// Width of the picture in pixels.
const WIDTH: u32 = 960;
/// Height of a panel.
const HEIGHT: u32 = 560;
/// Height of what is above the axes.
const TOP: u32 = 92;
/// Radius of the mark of a unit without look-up tables, and what the largest one has more.
const RADII: (f64, f64) = (3.0, 11.0);

/// The colour of a build.
fn colour(kind: Kind) -> RGBColor {
    match kind {
        Kind::LowLatency => RGBColor(0, 98, 178),
        Kind::OnePipeline => RGBColor(0, 130, 70),
        Kind::Banked => RGBColor(200, 80, 0),
    }
}

/// Of what another unit is better than.
const GREY: RGBColor = RGBColor(170, 170, 170);

/// What the picture of a part is called.
pub fn title(part: &str) -> String {
    format!("Units on {part}: operations a second, latency and look-up tables")
}

/// A point that fits its part: nanoseconds, million operations a second, and whether another one is better.
struct Mark<'a> {
    point: &'a Point,
    at: (f64, f64),
    radius: i32,
    dominated: bool,
}

/// Draws points as SVG; those that do not fit their part are left out.
///
/// # Errors
/// There is nothing to draw, or it cannot be drawn.
pub fn svg(points: &[Point]) -> Result<String, Box<dyn Error + Send + Sync>> {
    let most = points.iter().map(|point| point.figures.lut4).max().unwrap_or(1).max(1) as f64;
    let marks: Vec<Mark> = points
        .iter()
        .zip(dominated(points))
        .filter_map(|(point, dominated)| {
            let (speed, ns) = point.speed()?;
            // the area of the mark is that of the unit
            let radius = (RADII.0 + RADII.1 * (point.figures.lut4 as f64 / most).sqrt()).round() as i32;
            Some(Mark { point, at: (ns, speed), radius, dominated })
        })
        .collect();
    let mut parts: Vec<&str> = marks.iter().map(|mark| mark.point.part.as_str()).collect();
    parts.dedup();
    if parts.is_empty() {
        return Err("there is no unit to draw that fits its part".into());
    }
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, (WIDTH, HEIGHT * parts.len() as u32)).into_drawing_area();
        root.fill(&WHITE)?;
        for (panel, part) in root.split_evenly((parts.len(), 1)).iter().zip(&parts) {
            let marks: Vec<&Mark> = marks.iter().filter(|mark| mark.point.part == *part).collect();
            draw(panel, part, &marks)?;
        }
        root.present()?;
    }
    Ok(text)
}

/// A panel: those that another one is better than first, so that they are behind the others.
fn draw(
    panel: &DrawingArea<SVGBackend<'_>, Shift>,
    part: &str,
    marks: &[&Mark],
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let largest = |of: fn(&Mark) -> f64| marks.iter().map(|mark| of(mark)).fold(0.0, f64::max);
    let (right, top) = (largest(|mark| mark.at.0) * 1.18, largest(|mark| mark.at.1) * 1.12);
    let mut chart = ChartBuilder::on(panel)
        .margin(14)
        .margin_top(TOP)
        .x_label_area_size(42)
        .y_label_area_size(58)
        .build_cartesian_2d(0.0..right, 0.0..top)
        .map_err(|error| error.to_string())?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .x_desc("nanoseconds from a request to its answer")
        .y_desc("million operations a second on random words")
        .x_label_formatter(&|value| format!("{value:.0}"))
        .y_label_formatter(&|value| format!("{value:.0}"))
        .label_style(("sans-serif", 13))
        .draw()
        .map_err(|error| error.to_string())?;
    for behind in [true, false] {
        for mark in marks.iter().filter(|mark| mark.dominated == behind) {
            let colour = if behind { GREY } else { colour(mark.point.kind()) };
            let label = (EmptyElement::at(mark.at) + Circle::new((0, 0), mark.radius, colour.mix(0.75).filled()))
                + Text::new(mark.point.size(), (mark.radius + 3, -6), ("sans-serif", 12).into_font().color(&colour));
            chart.draw_series(std::iter::once(label)).map_err(|error| error.to_string())?;
        }
    }
    legend(panel, part).map_err(|error| error.to_string().into())
}

/// Above the axes: the title, and what colours and sizes mean.
fn legend(panel: &DrawingArea<SVGBackend<'_>, Shift>, part: &str) -> Result<(), Box<dyn Error + Send + Sync>> {
    panel.draw(&Text::new(title(part), (60, 12), ("sans-serif", 18)))?;
    let (mut x, y) = (70, 52);
    let lines = Kind::ALL.map(|kind| (colour(kind), kind.name()));
    let lines = lines.into_iter().chain([(GREY, "another unit is better")]);
    for (colour, name) in lines {
        panel.draw(&Circle::new((x, y), 6, colour.mix(0.75).filled()))?;
        panel.draw(&Text::new(name, (x + 12, y - 6), ("sans-serif", 13)))?;
        x += 40 + 7 * name.len() as i32;
    }
    panel.draw(&Text::new(
        "marked with ports x banks; the larger, the more look-up tables",
        (64, y + 14),
        ("sans-serif", 13),
    ))?;
    Ok(())
}
