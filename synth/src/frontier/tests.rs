use super::*;
use crate::flow::equivalence::Equivalence;
use crate::flow::figures::Fmax;
use proptest::prelude::*;

/// A point with these figures; no clock if it does not fit.
fn point(
    kind: Kind,
    [ports, banks, waiters]: [usize; 3],
    rate: f64,
    latency: usize,
    mhz: Option<f64>,
    lut4: u64,
) -> Point {
    let build = match kind {
        Kind::LowLatency => Build::LowLatency,
        Kind::OnePipeline => Build::HighClock,
        Kind::Banked => Build::BankedHighClock,
    };
    let parameters = unit(build, [ports, banks, waiters, 512]);
    let figures = Figures {
        top: "txbar_unit".to_owned(),
        parameters: parameters.label(),
        verilog: String::new(),
        part: "ECP5-25F".to_owned(),
        speed: "6".to_owned(),
        board: None,
        seeds: 1,
        goal_mhz: 300.0,
        fmax_mhz: mhz.map(|mhz| Fmax::of(vec![mhz])),
        lut4,
        ff: 2 * lut4,
        bram: 4,
        carry: 5,
        lut_ram: 6,
        alone: None,
        critical_path: Vec::new(),
        critical_path_seed: Some(1),
        failure: mhz.is_none().then(|| "no BELs remaining".to_owned()),
        netlist: String::new(),
        equivalence: Equivalence::Proved,
        tools: Tools { yosys: "1".to_owned(), nextpnr: "2".to_owned() },
    };
    let choice = Choice { parameters, part: Part::find("ecp5-25f-6").expect("it is in the table"), seeds: 1 };
    let rates = Rates { random_words: rate, one_barrier: rate, latency };
    Point::new(&choice, "recipe".to_owned(), rates, figures)
}

/// A slow small one, a fast one, a larger one that is no better, one with waits, and one that does not fit.
fn five() -> Vec<Point> {
    vec![
        point(Kind::LowLatency, [1, 1, 0], 1.0, 5, Some(100.0), 500),
        point(Kind::OnePipeline, [1, 1, 0], 1.0, 16, Some(250.0), 900),
        point(Kind::LowLatency, [1, 2, 0], 1.0, 5, Some(90.0), 800),
        point(Kind::LowLatency, [1, 1, 8], 1.0, 5, Some(80.0), 1000),
        point(Kind::Banked, [4, 8, 0], 3.2, 24, None, 30_000),
    ]
}

#[test]
fn the_usual_set_has_units_that_can_be_built() {
    let (set, choices) = Set::read(SMALL).expect("it is a set");
    assert_eq!(set.seeds, 1);
    assert!(choices.len() >= 8, "{}", choices.len());
    assert!(Build::ALL.into_iter().all(|build| choices.iter().any(|choice| choice.parameters.build == build)));
}

#[test]
fn what_is_no_set_is_refused() {
    let refused = |text: &str| Set::read(text).expect_err(text).to_string();
    let of = |parts: &str, build: &str, banks: &str, seeds: u32| {
        format!(
            "{{\"parts\": [{parts}], \"seeds\": {seeds}, \"units\": \
             [{{\"build\": \"{build}\", \"ports\": [1], \"banks\": [{banks}], \"waiters\": [0]}}]}}"
        )
    };
    assert!(Set::read(&of("\"ecp5-25f-6\"", "low-latency", "1, 2, 1", 1)).is_ok_and(|(_, choices)| choices.len() == 2));
    assert!(refused("nothing").starts_with("it is not a set of units: expected ident at line 1"));
    assert!(refused("{\"parts\": [], \"units\": [], \"unit\": 1}").contains("unknown field `unit`"));
    assert_eq!(refused("{\"parts\": [\"ecp5-25f-6\"], \"units\": []}"), "it is empty: it names no unit");
    assert_eq!(refused(&of("", "low-latency", "1", 1)), "it is empty: it names no part");
    assert_eq!(refused(&of("\"ecp5-25f-6\"", "low-latency", "", 1)), "it is empty: it names no unit");
    assert!(refused(&of("\"xc7\"", "low-latency", "1", 1)).starts_with("there is no part `xc7`; there are ecp5-25f-6"));
    assert_eq!(
        refused(&of("\"ecp5-25f-6\"", "fast", "1", 1)),
        "there is no build `fast`: it is low-latency, high-clock or banked-high-clock"
    );
    assert_eq!(
        refused(&of("\"ecp5-25f-6\"", "low-latency", "3", 1)),
        "banks = 3 cannot be built: it must be a power of two from 1 to 32"
    );
    assert_eq!(refused(&of("\"ecp5-25f-6\"", "low-latency", "1", 0)), "seeds = 0: it must be from 1 to 1000");
}

#[test]
fn a_point_stands_for_the_same_verilog_part_and_tools_only() {
    let (_, choices) = Set::read(SMALL).expect("it is a set");
    let source = choices[0].source().expect("it can be exported");
    let recipe = choices[0].recipe(&source);
    assert_eq!(recipe, choices[0].recipe(&choices[0].source().expect("it can be exported")));
    let of = |part: &str, change: fn(&mut Source)| {
        let mut source = source.clone();
        change(&mut source);
        Choice { part: Part::find(part).expect("it is in the table"), ..choices[0] }.recipe(&source)
    };
    assert_ne!(recipe, of("ecp5-25f-6", |source| source.verilog += " "), "other Verilog");
    assert_ne!(recipe, of("ecp5-85f-6", |_| {}), "another part");
    let five = five();
    let (point, tools) = (&five[0], five[0].figures.tools.clone());
    let choice = Choice { parameters: unit(Build::LowLatency, [1, 1, 0, 512]), ..choices[0] };
    assert!(point.stands_for(&choice, "recipe", &tools));
    assert!(!point.stands_for(&choice, "another", &tools));
    assert!(!point.stands_for(&Choice { seeds: 2, ..choice }, "recipe", &tools));
    assert!(!point.stands_for(&choice, "recipe", &Tools { yosys: "3".to_owned(), ..tools }));
}

#[test]
fn what_is_kept_is_there_once_and_in_order() {
    let mut kept = Vec::new();
    for point in five().into_iter().rev() {
        keep(&mut kept, point);
    }
    let names: Vec<String> = kept.iter().map(|point| format!("{} {}", point.kind().name(), point.size())).collect();
    let expected = ["low-latency 1x1", "low-latency 1x1, 8 waits", "low-latency 1x2", "high-clock, one pipeline 1x1"];
    assert_eq!(names[..4], expected);
    let text = serde_json::to_string(&kept).expect("it is JSON");
    assert_eq!(read(&text).expect("they are points"), kept);
    let again = Point { recipe: "new".to_owned(), ..kept[1].clone() };
    keep(&mut kept, again);
    assert_eq!((kept.len(), kept[1].recipe.as_str()), (5, "new"));
}

#[test]
fn tables_mark_the_frontier_and_what_does_not_fit() {
    let points = five();
    assert_eq!(dominated(&points), [false, false, true, false, false]);
    let markdown = markdown(&points);
    let ends = |line: usize, end: &str| {
        let line = markdown.lines().nth(line).expect("there is such a row");
        assert!(line.ends_with(end), "{line}");
    };
    ends(2, "| 500 | 4 | yes | proved |");
    ends(4, "| 800 | 4 | - | proved |");
    ends(6, "| does not fit | 3.20 | 3.20 | - | 24 | - | 30000 | 4 | - | proved |");
    assert!(
        markdown.lines().nth(3).expect("a row").contains("| 250.0 | 1.00 | 1.00 | 250 | 16 | 64.0 |"),
        "{markdown}"
    );
    assert_eq!(text(&points).lines().count(), 6);
}

#[test]
fn the_picture_shows_every_unit_that_fits() {
    let points = five();
    let svg = picture::svg(&points).expect("it can be drawn");
    assert!(svg.starts_with("<svg") && svg.contains(&picture::title("ecp5-25f-6")), "{svg}");
    // three in the colours of their builds, one in grey, and the four of the legend
    assert_eq!(svg.matches("<circle").count(), 4 + 4);
    assert_eq!(svg.matches("#AAAAAA").count(), 1 + 1 + 1, "mark, its size, legend");
    for text in
        ["1x1, 8 waits", "1x2", "nanoseconds from a request", "million operations a second", "high-clock, banked"]
    {
        assert!(svg.contains(text), "{text} is missing");
    }
    assert!(!svg.contains("4x8"), "it does not fit");
    // larger ones have larger marks
    let radius = |svg: &str| -> Vec<u32> {
        let circles = svg.split("<circle").skip(1);
        let radii = circles.filter_map(|circle| circle.split_once(" r=\"")?.1.split('"').next()?.parse().ok());
        radii.collect()
    };
    let alone = radius(&picture::svg(&points[..2]).expect("it can be drawn"));
    assert!(alone[1] > alone[0], "{alone:?}");
    assert_eq!(
        picture::svg(&points[4..]).expect_err("nothing fits").to_string(),
        "there is no unit to draw that fits its part"
    );
    assert!(picture::svg(&[]).is_err());
}

/// Points with few different figures, so that many are equal or better than others.
fn some_points() -> impl Strategy<Value = Vec<Point>> {
    let one = (0..3_usize, 0..2_usize, 1..3_usize, 0..2_usize, prop::option::weighted(0.9, 1..4_u32), 1..4_u64);
    let one = one.prop_map(|(rate, latency, ports, waiters, mhz, lut4)| {
        let mhz = mhz.map(|mhz| 50.0 * f64::from(mhz));
        point(Kind::LowLatency, [ports, 2, 8 * waiters], 1.0 + rate as f64, 5 + latency, mhz, 100 * lut4)
    });
    prop::collection::vec(one, 0..24)
}

proptest! {
    /// Against the definition, written out: somewhere there is a unit that is nowhere worse and somewhere better.
    #[test]
    fn dominated_points_are_those_that_another_one_is_better_than(points in some_points()) {
        for (point, dominated) in points.iter().zip(dominated(&points)) {
            let mut better = false;
            for other in &points {
                let (Some(mhz), Some(others)) = (point.mhz(), other.mhz()) else { continue };
                let mut worse_somewhere = false;
                let mut better_somewhere = false;
                for (own, others) in [
                    (point.rates.random_words * mhz, other.rates.random_words * others),
                    (point.rates.one_barrier * mhz, other.rates.one_barrier * others),
                    (-(point.rates.latency as f64) / mhz, -(other.rates.latency as f64) / others),
                    (-(point.figures.lut4 as f64), -(other.figures.lut4 as f64)),
                    (point.ports as f64, other.ports as f64),
                    (point.waiters as f64, other.waiters as f64),
                ] {
                    worse_somewhere |= others < own;
                    better_somewhere |= others > own;
                }
                better |= better_somewhere && !worse_somewhere;
            }
            prop_assert_eq!(dominated, better);
        }
    }
}
