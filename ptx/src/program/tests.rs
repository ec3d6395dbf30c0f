//! Wrong modules, and the errors about them.

use crate::parse::parse;
use crate::program::Program;
use crate::source::Source;

/// A kernel `k` with registers of some types around a body.
fn kernel(declarations: &str, body: &str) -> String {
    format!(
        ".version 8.6\n.target sm_90\n.address_size 64\n{declarations}\n.visible .entry k(.param .u64 out)\n{{\n\
         .reg .b64 %rd<4>;\n.reg .b32 %r<4>;\n.reg .pred %p<2>;\n.reg .f32 %f<2>;\n{body}\n}}\n"
    )
}

/// The error of a module, as a user sees it. Its text is shown with the error.
fn error(text: &str, entry: &str) -> String {
    let source = Source::new("k.ptx", text);
    let module = parse(&source).unwrap_or_else(|error| panic!("{:?}", miette::Report::new(error)));
    let complaint = Program::new(&module, entry).expect_err(text);
    let mut shown = String::new();
    let handler = miette::GraphicalReportHandler::new_themed(miette::GraphicalTheme::unicode_nocolor());
    handler.render_report(&mut shown, &source.error(complaint)).expect("a string takes everything");
    shown
}

/// What is wrong; declarations of the module; the body.
const WRONG: &[(&str, &str, &str)] = &[
    ("undefined register", "", "add.u32 %r1, %r2, %rx1;"),
    ("register beyond the declaration", "", "mov.u32 %r7, 1;"),
    ("undefined label", "", "mov.u32 %r1, 1;\nwait_loop:\nbra wait_lop;"),
    ("label of another scope", "", "{ inner: mov.u32 %r1, 1; }\nbra inner;"),
    ("undefined variable", ".shared .align 8 .b64 barrier;", "mbarrier.init.shared.b64 [barier], 1;"),
    ("undefined function", ".func worker() { ret; }", "call workers;"),
    ("undefined predicate", "", "@%q bra end; end: ret;"),
    ("guard that is no predicate", "", "@%r1 bra end; end: ret;"),
    ("label as a register", "", "here: add.u32 %r1, %r2, here;"),
    ("register as a label", "", "bra %r1;"),
    ("variable as a label", ".shared .u32 word;", "bra word;"),
    ("register of another size", "", "add.u32 %r1, %r2, %rd1;"),
    ("predicate as a number", "", "add.u32 %r1, %r2, %p1;"),
    ("number as a predicate", "", "selp.u32 %r1, 1, 2, %r2;"),
    ("destination that is a variable", ".shared .u32 word;", "mov.u32 word, %r1;"),
    ("destination that is a special register", "", "mov.u32 %tid.x, %r1;"),
    ("destination that is a number", "", "mov.u32 5, %r1;"),
    ("misspelled special register", "", "mov.u32 %r1, %tdi.x;"),
    ("whole number as a float", "", "add.f32 %f1, %f1, 1;"),
    ("float as a whole number", "", "add.u32 %r1, %r1, 1.5;"),
    ("too few operands", "", "add.u32 %r1, %r2;"),
    ("address without brackets", "", "ld.global.u32 %r1, %rd1;"),
    ("address in a register that is too small", "", "ld.global.u32 %r1, [%r2];"),
    ("variable of another state space", ".shared .u32 word;", "ld.global.u32 %r1, [word];"),
    ("address that does not fit", ".global .u32 word;", "mov.u32 %r1, word;"),
    ("vector of another length", "", "ld.global.v4.u32 {%r1, %r2}, [%rd1];"),
    ("vector register as a value", "", ".reg .v2 .u32 %v;\nadd.u32 %r1, %v, 1;"),
    ("element that a vector does not have", "", ".reg .v2 .u32 %v;\nadd.u32 %r1, %v.z, 1;"),
    ("elements that do not make up the register", "", "mov.b64 %rd1, {%r1, %r2, %r3};"),
    ("store to constants", ".const .u32 c = 1;", "st.const.u32 [c], 2;"),
    ("token register that is too small", ".shared .b64 b;", "mbarrier.arrive.shared.b64 %r1, [b];"),
    ("copy of an impossible size", ".shared .b64 b;", "cp.async.ca.shared.global [b], [%rd1], 12;"),
    ("argument too many", ".func f(.reg .u32 a) { ret; }", "call f, (%r1, %r2);"),
    (
        "argument of another size",
        ".func f(.param .align 8 .b8 a[16]) { ret; }",
        ".param .align 8 .b8 p[8];\ncall f, (p);",
    ),
    (
        "own parameter of another size as an argument",
        ".func g(.param .b64 a) { ret; }\n.func f(.param .b32 a) { call g, (a); }",
        "call f, (%r1);",
    ),
    ("structure from a register", ".func f(.param .align 8 .b8 a[16]) { ret; }", "call f, (%rd1);"),
    ("list of labels that is a label", "", "here: brx.idx %r1, here;"),
    ("shared memory that is too large", ".shared .b8 large[233473];", "mov.u32 %r1, large;"),
    ("shared memory that is much too large", ".shared .b64 large[1152921504606846976];", "mov.u32 %r1, large;"),
    ("global memory that is too large", ".global .b8 large[1073741825];", "ret;"),
    ("constants that are too large", ".const .b32 one[16384];\n.const .b8 two;", "ret;"),
    ("local memory that is too large", "", ".local .b8 large[524289];"),
    ("array without a size", ".shared .b8 open[];", "mov.u32 %r1, open;"),
    ("initial value that is an unknown address", ".global .u32 word;\n.global .u64 pointer = wrd;", "ret;"),
    (
        "local memory of the module and the entry",
        ".local .b8 one[500000];",
        ".local .b8 two[50000];\nmov.u64 %rd1, one;",
    ),
    ("error in a function that is called", ".func f() { bra nowhere; }", "call f;"),
];

#[test]
fn wrong_modules_are_refused_with_the_place_underlined() {
    let errors = WRONG.iter().map(|(what, declarations, body)| {
        let shown = error(&kernel(declarations, body), "k");
        assert!(shown.contains('─'), "{what}: nothing is underlined\n{shown}");
        format!("# {what}\n{shown}")
    });
    insta::assert_snapshot!("wrong_modules", errors.collect::<Vec<_>>().join("\n"));
}

#[test]
fn an_unknown_entry_is_answered_with_the_entries() {
    let two = ".version 8.6\n.target sm_90\n.address_size 64\n.entry first() { ret; }\n.entry second() { ret; }\n.func third() { ret; }";
    let none = ".version 8.6\n.target sm_90\n.address_size 64\n";
    let errors = [error(two, "frist"), error(two, "third"), error(none, "k")];
    insta::assert_snapshot!("unknown_entries", errors.join("\n"));
}

#[test]
fn directives_of_an_entry_are_read() {
    let text = ".version 8.6\n.target sm_90\n.address_size 64\n\
        .entry k(.param .u8 a, .param .align 16 .b8 b[20], .param .u64 c) .reqntid 128, 2 .reqnctapercluster 4 { ret; }";
    let program = Program::new(&parse(&Source::new("k.ptx", text)).unwrap(), "k").unwrap();
    assert_eq!((program.required_threads, program.required_cluster), (Some([128, 2, 1]), Some([4, 1, 1])));
    let places: Vec<_> = program.parameters.iter().map(|one| (one.name.as_str(), one.offset, one.bytes)).collect();
    assert_eq!(places, [("a", 0, 1), ("b", 16, 20), ("c", 40, 8)]);
    assert_eq!(program.parameter_bytes, 48);
}

/// What `ptxas -v` (13.5, sm_90a) says of such kernels.
#[test]
fn registers_at_launch_follow_from_the_directives() {
    let cases = [
        (".maxntid 512, 1, 1 .minnctapersm 1", "inc 168", Some(128)),
        (".maxntid 512, 1, 1 .minnctapersm 1", "inc 64", Some(64)),
        (".maxntid 288, 1, 1 .minnctapersm 1", "inc 240", Some(168)),
        (".maxntid 416, 1, 1 .minnctapersm 1", "inc 240", Some(128)),
        (".maxntid 640, 1, 1 .minnctapersm 1", "dec 24", Some(96)),
        (".maxntid 200, 1, 1 .minnctapersm 3", "dec 24", Some(80)),
        (".maxntid 16, 8, 3 .minnctapersm 1", "dec 40", Some(168)),
        (".reqntid 384 .minnctapersm 3", "dec 40", Some(56)),
        (".maxntid 256, 1, 1 .minnctapersm 1", "dec 40", Some(255)),
        (".maxntid 256, 1, 1 .minnctapersm 1", "inc 232", Some(232)),
        (".maxntid 384, 1, 1 .minnctapersm 1 .maxnreg 64", "inc 240", Some(64)),
        (".maxntid 384, 1, 1 .maxnreg 100", "inc 240", Some(100)),
        (".maxntid 384, 1, 1", "inc 240", None),
        (".minnctapersm 1", "inc 240", None),
        ("", "inc 240", None),
        (".maxntid 384, 1, 1 .minnctapersm 1", "", None),
    ];
    for (directives, claim, expected) in cases {
        let claim = claim
            .split_once(' ')
            .map_or(String::new(), |(action, registers)| format!("setmaxnreg.{action}.sync.aligned.u32 {registers};"));
        let text = format!(".version 8.6 .target sm_90a .address_size 64 .entry k() {directives} {{ {claim} ret; }}");
        let program = Program::new(&parse(&Source::new("k.ptx", text)).unwrap(), "k").unwrap();
        assert_eq!(program.registers_at_launch(), expected, "{directives} {claim}");
    }
}

#[test]
fn a_function_that_is_declared_first_is_found() {
    let declarations = ".func (.param .b32 r) late(.param .b32 a);\n.extern .shared .align 16 .b8 dynamic[];\n";
    let body = "call (%r1), late, (%r2); mov.u32 %r3, dynamic;";
    let text = kernel(declarations, body)
        + ".func (.param .b32 r) late(.param .b32 a) { .reg .b32 %r; ld.param.b32 %r, [a]; st.param.b32 [r], %r; }";
    let program = Program::new(&parse(&Source::new("k.ptx", text.as_str())).unwrap(), "k").unwrap();
    assert_eq!(program.unsupported().count(), 0);
}

#[test]
fn scopes_may_be_nested_deeply_and_names_be_many() {
    const DEPTH: usize = 900; // the parser allows 1000
    let deep = "{ .reg .u32 a; mov.u32 a, 1; ".repeat(DEPTH) + &"}".repeat(DEPTH);
    let module = parse(&Source::new("k.ptx", kernel("", &deep))).unwrap();
    assert_eq!(Program::new(&module, "k").unwrap().len(), DEPTH + 1);
    let functions: String = (0..2000).map(|n| format!(".func f{n}() {{ call f{}; }}\n", n + 1)).collect();
    let text = functions + ".func f2000() { ret; }\n";
    let module = parse(&Source::new("k.ptx", kernel(&text, "call f0;"))).unwrap();
    assert_eq!(Program::new(&module, "k").unwrap().len(), 2 * 2002);
}
