//! Declarations in wave files: names describe the signals, values follow the order of declaration, events are found.

use txbar_rtl::any::AnyUnit;
use txbar_rtl::cluster::Cluster;
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::hdl::{Name, Part, RegisterView, SignalView, Type, Visitor};
use txbar_rtl::parameters::{Design, Parameters};
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::run::{self, Observer};
use txbar_testbench::traffic::Plan;
use txbar_waves::layout::{Kind, Layout, kind_of};

/// Everything that a design may have: units of all builds, checked or not, and a cluster.
fn layouts() -> Vec<(&'static str, Layout)> {
    let plain = Parameters::default();
    let checked = Parameters { checked: true, ports: 2, ..plain };
    let high = Parameters::high_clock(plain.words);
    let banked = Parameters::banked_high_clock(2, 2);
    let cluster = ClusterParameters { unit: checked, ctas: 2, ..ClusterParameters::default() };
    let unit = |parameters: &Parameters| Layout::of(&AnyUnit::new(parameters), parameters as &dyn Design);
    vec![
        ("unit", unit(&plain)),
        ("checked unit", unit(&checked)),
        ("high-clock unit", unit(&high)),
        ("banked high-clock unit", unit(&banked)),
        ("cluster", Layout::of(&Cluster::new(&cluster), &cluster)),
    ]
}

#[test]
fn names_tell_opcodes_and_statuses() {
    let mut found = [0, 0];
    for (design, layout) in layouts() {
        for (name, var) in layout.signals() {
            let told = kind_of(&name, var.width as u32);
            let is = if var.kind == Kind::Word { Kind::Plain } else { var.kind };
            assert_eq!(told, is, "{design}: {name}, {} bits", var.width);
            found[0] += u32::from(is == Kind::Op);
            found[1] += u32::from(is == Kind::Status);
        }
    }
    assert!(found[0] > 100 && found[1] > 100, "{found:?}");
}

#[test]
fn no_two_signals_have_a_name() {
    for (design, layout) in layouts() {
        let mut names: Vec<String> = layout.signals().into_iter().map(|(name, _)| name).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count, "{design}");
    }
}

#[test]
fn every_design_has_the_events() {
    for (design, layout) in layouts() {
        let signals = layout.signals();
        for event in ["flip", "fault", "parked"] {
            let name = format!(".events.{event}");
            assert_eq!(signals.iter().filter(|(signal, _)| signal.ends_with(&name)).count(), 1, "{design}: {event}");
        }
    }
}

/// The values that a visitor is shown.
#[derive(Default)]
struct Shown(Vec<u64>);

impl Visitor for Shown {
    fn signal(&mut self, _name: Name, _doc: &'static str, _view: SignalView, _ty: Type, value: u64) {
        self.0.push(value);
    }
    fn register(&mut self, _name: Name, _doc: &'static str, _view: RegisterView, d: u64, q: u64) {
        self.0.extend([d, q]);
    }
}

fn assert_in_order(design: &impl Part) {
    let mut shown = Shown::default();
    design.visit("design".into(), "", &mut shown);
    let mut values = vec![0; shown.0.len()];
    assert!(design.values(&mut values).is_empty(), "there are fewer than are shown");
    assert_eq!(shown.0, values);
}

/// `Part::values` is what `Part::visit` shows, in every cycle of a random run, and on a cluster.
#[test]
fn values_come_in_the_order_of_the_declarations() {
    struct Look(u64);
    impl Observer<Rtl> for Look {
        fn settled(&mut self, engine: &Rtl, _cycle: u64) {
            assert_in_order(engine.unit());
            self.0 += 1;
        }
    }
    let mut look = Look(0);
    let mut engine = Rtl::new(Parameters { checked: true, ..Parameters::default() });
    run::plan(&mut engine, &Plan::new(5, 2000), &mut look).unwrap_or_else(|failure| panic!("{failure}"));
    assert!(look.0 > 500);
    let parameters = ClusterParameters { ctas: 2, ..ClusterParameters::default() };
    let plan = txbar_testbench::cluster::traffic::Plan { parameters, seed: 5, cycles: 300, stall: 10, rush: false };
    let report = plan.run(&mut |_, _| {}, |cluster, _| assert_in_order(cluster));
    assert!(report.is_ok());
}

/// What a kernel only passes on is one wire; what it changes, or drives at times, is not.
#[test]
fn wires_are_found() {
    for (design, layout) in layouts() {
        let signals = layout.signals();
        let number = |name: &str| signals.iter().position(|(signal, _)| signal == name);
        let same = |name: &str| signals[number(name)?].1.same_as.map(|first| signals[first as usize].0.clone());
        let shared = signals.iter().filter(|(_, var)| var.same_as.is_some()).count();
        assert!(shared * 6 > signals.len(), "{design}: {shared} of {}", signals.len());
        for (place, (name, var)) in signals.iter().enumerate() {
            let Some(first) = var.same_as else { continue };
            let (original, first_var) = &signals[first as usize];
            assert!((first as usize) < place && first_var.same_as.is_none(), "{design}: {name} is {original}");
            assert_eq!(var.width, first_var.width, "{design}: {name} is {original}");
        }
        if design == "unit" {
            assert_eq!(same("unit.bank_3.advance").as_deref(), same("unit.lane_2.advance").as_deref());
            assert!(same("unit.lane_2.advance").is_some());
            // a request that is passed on
            assert_eq!(same("unit.issue_1.address").as_deref(), Some("unit.req_address_1"));
            for own in ["unit.issue_1.valid", "unit.asking"] {
                assert!(number(own).is_some(), "{own}");
                assert_eq!(same(own), None, "{own}");
            }
        }
    }
    let unit = Parameters::default();
    let apart = Layout::apart(&AnyUnit::new(&unit), &unit);
    assert!(apart.signals().iter().all(|(_, var)| var.same_as.is_none()));
}

/// What is 64 bits wide and a word has its fields beside it.
#[test]
fn words_have_their_fields() {
    for (design, layout) in layouts() {
        let signals = layout.signals();
        let words: Vec<&String> =
            signals.iter().filter(|(_, var)| var.kind == Kind::Word).map(|(name, _)| name).collect();
        assert!(!words.is_empty(), "{design}");
        for word in words {
            for field in ["phase", "pending", "fault", "tx", "expected"] {
                let name = format!("{word}_fields.{field}");
                assert!(signals.iter().any(|(signal, _)| *signal == name), "{design}: {name} is missing");
            }
        }
    }
}
