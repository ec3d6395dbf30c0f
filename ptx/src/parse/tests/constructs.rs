//! Syntax trees of every construct.

use super::{HEAD, body, function, instruction, module, operands};
use crate::ast::{Base, Formal, Initial, Linkage, Number, Operand, Space, Spanned, Statement, Type, Version};
use crate::parse::parse;
use crate::source::{Source, Span};

fn name(text: &str) -> Operand {
    Operand::Name(text.to_owned())
}

fn integer(value: i128) -> Operand {
    Operand::Number(Number::Integer(value))
}

fn address(base: &str, offset: i64) -> Operand {
    Operand::Address { base: Base::Name(base.to_owned()), offset }
}

fn plain(operands: &[Spanned<Operand>]) -> Vec<Operand> {
    operands.iter().map(|operand| operand.value.clone()).collect()
}

/// The number that a constant expression comes to.
fn value(expression: &str) -> Number {
    match operands(&format!("mov.b64 x, {expression};")).pop() {
        Some(Operand::Number(number)) => number,
        other => panic!("{expression}: {other:?}"),
    }
}

#[test]
fn head_of_a_module() {
    let text = "\u{feff}// comment\n.version 9.2\n.target sm_100a, debug\n.address_size 64\n.target texmode_unified\n";
    let module = parse(&Source::new("k.ptx", text)).unwrap();
    assert_eq!(module.version.value, Version { major: 9, minor: 2 });
    assert_eq!(module.address_size, 64);
    let targets: Vec<&str> = module.targets.iter().map(|target| target.value.as_str()).collect();
    assert_eq!(targets, ["sm_100a", "debug", "texmode_unified"]);
    let short = parse(&Source::new("k.ptx", ".version 3.0 .target sm_20")).unwrap();
    assert_eq!(short.address_size, 32, "PTX's default");
}

#[test]
fn what_debuggers_want_is_skipped() {
    let module = module(
        "\t.file\t1 \"a \\\" b.cu\"\n.file 2 \"b.cu\", 1700000000, 12\n@@DWARF .byte 'x' \"\n/* } */\n.pragma \"a\", \"b\";\n\
         .entry k() .pragma \"nounroll\"; { .loc 1 2 3\n.loc 1 2 3, function_name $L_a+16, inlined_at 1 4 5\n\
         .loc 1 2 3, function_name $L_a, inlined_at 1 4 5 ret; .pragma \"x\"; }\n\
         .section .debug_info {\n$L_a:\n.b8 1,2\n.b64 .debug_abbrev+4\n.b32 $L_b-$L_a\n{ }\n}\n.section .debug_loc\t{\t}\n\
         .alias a, k;\n.tex .u32 t;\n.global .texref t0;\n.global .samplerref s = { addr_mode_0 = wrap };\n;",
    );
    assert_eq!(module.variables, []);
    let [statement] = module.functions[0].body.as_deref().unwrap() else { panic!("one statement") };
    assert!(matches!(statement, Statement::Instruction(ret) if ret.opcode.value == "ret" && ret.operands.is_empty()));
}

#[test]
fn entries_and_functions() {
    let entry = function(
        ".visible .entry k$1(.param .u64 .ptr .global .align 16 a, .param .align 8 .b8 b[16], .param .texref t)\n\
         .maxntid 16, 16, 4 .minnctapersm 2 .reqnctapercluster 2,1,1 .explicitcluster .maxclusterrank 8 {}",
    );
    assert!(entry.entry && entry.linkage == Linkage::Visible && entry.body == Some(Vec::new()));
    assert_eq!(entry.name.value, "k$1");
    let directives: Vec<(&str, &[u64])> =
        entry.directives.iter().map(|directive| (directive.name.value.as_str(), &*directive.numbers)).collect();
    let expected: [(&str, &[u64]); 5] = [
        ("maxntid", &[16, 16, 4]),
        ("minnctapersm", &[2]),
        ("reqnctapercluster", &[2, 1, 1]),
        ("explicitcluster", &[]),
        ("maxclusterrank", &[8]),
    ];
    assert_eq!(directives, expected);
    let parameters: Vec<_> = entry
        .parameters
        .iter()
        .map(|formal| match formal {
            Formal::Param(one) => {
                (one.name.value.as_str(), one.ty, one.alignment.map(|alignment| alignment.value), one.count, one.space)
            }
            Formal::Register { .. } => panic!("no register"),
        })
        .collect();
    let expected = [
        ("a", Type::U64, None, Some(1), Space::Param),
        ("b", Type::B8, Some(8), Some(16), Space::Param),
        ("t", Type::B64, None, Some(1), Space::Param),
    ];
    assert_eq!(parameters, expected, "the alignment behind .ptr is that of the target");

    let inner = function(".func (.reg .u32 r, .reg .pred p) f (.reg .b64 a) .noreturn { ret; }");
    let registers: Vec<_> = inner
        .results
        .iter()
        .chain(&inner.parameters)
        .map(|formal| match formal {
            Formal::Register { name, ty } => (name.value.as_str(), *ty),
            Formal::Param(_) => panic!("no parameter"),
        })
        .collect();
    assert_eq!(registers, [("r", Type::U32), ("p", Type::Pred), ("a", Type::B64)]);
    assert!(!inner.entry && inner.linkage == Linkage::Module);

    let outer = function(".extern .func (.param .b32 _) vprintf (.param .b64 _, .param .b64 _);");
    assert_eq!((outer.linkage, outer.body, outer.parameters.len()), (Linkage::Extern, None, 2));
    // declared, declared again and defined
    assert_eq!(module(".func f; .func f(); .func f { ret; } .func f;").functions.len(), 4);
}

#[test]
fn variables() {
    let found = module(
        ".shared .align 8 .b8 buf[1024];\n.extern .shared .align 16 .b8 dyn[];\n.weak .global .v4 .f32 m[2][3], n;\n\
         .global .attribute(.managed) .s16 x;\n.const[2] .align 4 .b32 c;\n.local .f64 l;\n\
         .shared .b8 huge[999999999999];\n.extern .global .u32 x2; .global .u32 x2;",
    )
    .variables;
    let found: Vec<_> = found
        .iter()
        .map(|one| {
            let alignment = one.alignment.map_or(0, |alignment| alignment.value);
            (one.name.value.as_str(), one.space, one.linkage, one.ty, one.vector, one.count, alignment)
        })
        .collect();
    use {Linkage as L, Space as S, Type as T};
    let expected = [
        ("buf", S::Shared, L::Module, T::B8, 1, Some(1024), 8),
        ("dyn", S::Shared, L::Extern, T::B8, 1, None, 16),
        ("m", S::Global, L::Visible, T::F32, 4, Some(6), 0),
        ("n", S::Global, L::Visible, T::F32, 4, Some(1), 0),
        ("x", S::Global, L::Module, T::S16, 1, Some(1), 0),
        ("c", S::Const, L::Module, T::B32, 1, Some(1), 4),
        ("l", S::Local, L::Module, T::F64, 1, Some(1), 0),
        ("huge", S::Shared, L::Module, T::B8, 1, Some(999_999_999_999), 0),
        ("x2", S::Global, L::Extern, T::U32, 1, Some(1), 0),
        ("x2", S::Global, L::Module, T::U32, 1, Some(1), 0),
    ];
    assert_eq!(found, expected);
}

#[test]
fn initial_values() {
    let of = |declaration: &str| {
        let mut variables = module(&format!(".global {declaration};")).variables;
        let variable = variables.remove(0);
        let numbers: Vec<i128> = variable
            .initial
            .iter()
            .map(|initial| match initial {
                Initial::Number(Number::Integer(value)) => *value,
                other => panic!("{other:?}"),
            })
            .collect();
        (variable.count, numbers)
    };
    assert_eq!(of(".u32 a = 5"), (Some(1), vec![5]));
    assert_eq!(of(".u32 a = {5}"), (Some(1), vec![5]));
    assert_eq!(of(".u32 a[4] = {1, 2}"), (Some(4), vec![1, 2]), "what is missing at the end is not written out");
    assert_eq!(of(".u32 a[4] = {}"), (Some(4), vec![]));
    assert_eq!(of(".u32 a[2][3] = {{1}, {2, 3}}"), (Some(6), vec![1, 0, 0, 2, 3, 0]));
    assert_eq!(of(".u32 a[2][2] = {1, 2, 3, 4}"), (Some(4), vec![1, 2, 3, 4]));
    assert_eq!(of(".u32 a[] = {1, 2, -3,}"), (Some(3), vec![1, 2, -3]));
    assert_eq!(of(".u32 a[][2] = {{1, 2}, {3}}"), (Some(4), vec![1, 2, 3, 0]));
    assert_eq!(of(".v2 .u32 a[] = {{1}, {2, 3}}"), (Some(2), vec![1, 0, 2, 3]));
    assert_eq!(of(".u32 a[2] = {1, 2}, b = 7"), (Some(2), vec![1, 2]));

    let found = module(
        ".global .b64 a[] = {b, b+8, b - 8, generic(b), generic(b)+4, generic(b+4), 0xff00(b), 0xFF(generic(b)+4), \
         0f3f800000, 1.5, -.5};",
    )
    .variables;
    let address = |generic, offset, mask| ("b", generic, offset, mask);
    let found: Vec<_> = found[0].initial.iter().collect();
    let addresses: Vec<_> = found
        .iter()
        .filter_map(|initial| match initial {
            Initial::Address { symbol, generic, offset, mask } => {
                Some((symbol.value.as_str(), *generic, *offset, *mask))
            }
            Initial::Number(_) => None,
        })
        .collect();
    let all = u64::MAX;
    let expected = [
        address(false, 0, all),
        address(false, 8, all),
        address(false, -8, all),
        address(true, 0, all),
        address(true, 4, all),
        address(true, 4, all),
        address(false, 0, 0xff00),
        address(true, 4, 0xff),
    ];
    assert_eq!(addresses, expected);
    let numbers: Vec<_> = found.iter().skip(8).collect();
    let expected =
        [Number::Single(0x3f80_0000), Number::Double(1.5_f64.to_bits()), Number::Double((-0.5_f64).to_bits())];
    assert!(numbers.iter().zip(expected).all(|(found, wanted)| ***found == Initial::Number(wanted)), "{numbers:?}");
}

#[test]
fn registers() {
    let found =
        body(".reg .pred p, %q<3>;\n.reg .v4 .f32 v;\n.reg .b128 %rq<4000000000>;\n.reg .u32 %r1<3>, %r<10>, %r010;");
    let found: Vec<_> = found
        .iter()
        .flat_map(|statement| match statement {
            Statement::Registers(registers) => {
                let (ty, vector) = (registers.ty, registers.vector);
                registers.names.iter().map(move |(name, count)| (name.value.as_str(), *count, ty, vector))
            }
            other => panic!("{other:?}"),
        })
        .collect();
    let expected = [
        ("p", None, Type::Pred, 1),
        ("%q", Some(3), Type::Pred, 1),
        ("v", None, Type::F32, 4),
        ("%rq", Some(4_000_000_000), Type::B128, 1),
        ("%r1", Some(3), Type::U32, 1),
        ("%r", Some(10), Type::U32, 1),
        ("%r010", None, Type::U32, 1),
    ];
    assert_eq!(found, expected);
}

#[test]
fn statements() {
    let found = body(
        "{ .reg .u32 a; } {} a: b: {a: .shared .b64 x; { ret; } }\nt: .branchtargets a, b;\nu: .calltargets f;\n\
                      v: .callprototype (.param .b32 _) _ (.param .b64 _);\n;;exit;",
    );
    let kinds: Vec<String> = found
        .iter()
        .map(|statement| match statement {
            Statement::Open(_) => "{".to_owned(),
            Statement::Close(_) => "}".to_owned(),
            Statement::Label(name) => format!("{}:", name.value),
            Statement::Registers(_) => "reg".to_owned(),
            Statement::Variable(variable) => format!("{:?}", variable.space),
            Statement::Instruction(instruction) => instruction.opcode.value.clone(),
            Statement::Targets { name, labels } => format!("{}->{}{}", name.value, labels[0].value, labels[1].value),
        })
        .collect();
    assert_eq!(kinds, ["{", "reg", "}", "a:", "b:", "{", "a:", "Shared", "{", "ret", "}", "}", "t->ab", "exit"]);
}

#[test]
fn parts_of_an_instruction() {
    let text = "@!%p1 cp.async.bulk .shared::cluster.mbarrier::complete_tx::bytes.L2::128B.2d [a], 5;";
    let found = instruction(text);
    let guard = found.guard.as_ref().unwrap();
    assert!(guard.negated && guard.register.value == "%p1");
    assert_eq!(found.opcode.value, "cp");
    let modifiers: Vec<&str> = found.modifiers.iter().map(|modifier| modifier.value.as_str()).collect();
    assert_eq!(modifiers, ["async", "bulk", "shared::cluster", "mbarrier::complete_tx::bytes", "L2::128B", "2d"]);
    assert!(found.has("bulk") && !found.has("cp"));
    // every place is the right one
    let whole = format!("{HEAD}.entry k() {{\n{text}\n}}");
    let source = Source::new("k.ptx", whole.clone());
    let at = |span: Span| source.at(span).to_owned();
    assert_eq!(at(found.span), text);
    assert_eq!(at(guard.register.span), "%p1");
    assert_eq!(at(found.modifiers[3].span), ".mbarrier::complete_tx::bytes");
    assert_eq!(found.operands.iter().map(|operand| at(operand.span)).collect::<Vec<_>>(), ["[a]", "5"]);
    assert_eq!(source.line(found.span), 5);
}

#[test]
fn operands_of_every_form() {
    assert_eq!(operands("ret;"), []);
    assert_eq!(
        operands("mov.u32 %r1, %tid.x, $L_1, f$g, _, %v.w;"),
        [name("%r1"), name("%tid.x"), name("$L_1"), name("f$g"), Operand::Sink, name("%v.w")]
    );
    assert_eq!(operands("mov.u32 a+8, b - 2*4, WARP_SZ;").last(), Some(&integer(32)));
    assert_eq!(operands("mov.u32 a+8, b - 2*4;"), [Operand::Sum("a".to_owned(), 8), Operand::Sum("b".to_owned(), -8)]);
    assert_eq!(
        operands("ld.u32 [a], [a+8], [a+-8], [a-8], [%r.x + 4*4], [a+0xFFFFFFFFFFFFFFF8];"),
        [address("a", 0), address("a", 8), address("a", -8), address("a", -8), address("%r.x", 16), address("a", -8)]
    );
    assert_eq!(
        operands("ld.u32 [16], [0xFFFFFFFFFFFFFFFF], [-1];"),
        [16, u64::MAX, u64::MAX].map(|place| Operand::Address { base: Base::Absolute(place), offset: 0 })
    );
    assert_eq!(
        operands("setp.lt.u32 p|q, p|_, _|q, !p, !%q;"),
        [
            Operand::Pair(Box::new((name("p"), name("q")))),
            Operand::Pair(Box::new((name("p"), Operand::Sink))),
            Operand::Pair(Box::new((Operand::Sink, name("q")))),
            Operand::Not("p".to_owned()),
            Operand::Not("%q".to_owned()),
        ]
    );
    let Operand::Vector(elements) = operands("mov.b64 {a, _, 3, b+1, 0f00000000, c, d, e, %f.x};").remove(0) else {
        panic!("a vector")
    };
    assert_eq!(elements.len(), 9);
    assert_eq!(
        plain(&elements)[..5],
        [name("a"), Operand::Sink, integer(3), Operand::Sum("b".to_owned(), 1), Operand::Number(Number::Single(0)),]
    );
    let Operand::Compound(parts) = operands("tex [t+8, {x, 1}, [bar]];".replace("[bar]", "s").as_str()).remove(0)
    else {
        panic!("an address with parts")
    };
    assert_eq!(parts[0].value, Operand::Sum("t".to_owned(), 8));
    assert!(matches!(&parts[1].value, Operand::Vector(inner) if plain(inner) == [name("x"), integer(1)]));
    assert_eq!(parts[2].value, name("s"));
    let call = operands("call.uni (r0, _), f, (p0, 5), proto;");
    assert!(matches!(&call[0], Operand::List(inner) if plain(inner) == [name("r0"), Operand::Sink]));
    assert_eq!(call[1], name("f"));
    assert!(matches!(&call[2], Operand::List(inner) if plain(inner) == [name("p0"), integer(5)]));
    assert_eq!(call[3], name("proto"));
    assert!(matches!(&operands("call f, ();")[1], Operand::List(inner) if inner.is_empty()));
    // a bracket in front of a value is a list only in a call
    assert_eq!(operands("mov.u32 a, (1+2)*3;")[1], integer(9));
}

#[test]
fn literals() {
    let whole = [
        ("0", 0),
        ("12", 12),
        ("12U", 12),
        ("0x1fU", 31),
        ("0XFF", 255),
        ("017", 15),
        ("0b101", 5),
        ("0B11U", 3),
        ("18446744073709551615", u64::MAX.into()),
        ("0xFFFFFFFFFFFFFFFF", u64::MAX.into()),
        ("-9223372036854775808", i64::MIN.into()),
        ("-1", -1),
        ("-1U", u64::MAX.into()),
    ];
    for (text, expected) in whole {
        assert_eq!(value(text), Number::Integer(expected), "{text}");
    }
    for text in ["1.5", "1.", "0.5e3", "1e5", "1.5E-3", "1e+2", "2.5e300"] {
        let expected: f64 = text.parse().unwrap();
        assert_eq!(value(text), Number::Double(expected.to_bits()), "{text}");
    }
    assert_eq!(value(".25"), Number::Double(0.25_f64.to_bits()));
    assert_eq!(value("0f3F800000"), Number::Single(0x3f80_0000));
    assert_eq!(value("-0F3f800000"), Number::Single(0xbf80_0000));
    assert_eq!(value("0d3FF0000000000000"), Number::Double(1.0_f64.to_bits()));
}

#[test]
fn constant_expressions() {
    let whole: [(&str, i128); 34] = [
        ("1+2*3", 7),
        ("(1+2)*3", 9),
        ("10-4-3", 3),
        ("100/7/2", 7),
        ("-7/2", -3),
        ("-7 % 4", -3),
        ("7U % 4", 3),
        ("1<<4", 16),
        ("1<<64", 0),
        ("-8>>1", -4),
        ("-8>>70", -1),
        ("0x8000000000000000>>63", 1),
        ("1+1<<2", 8),
        ("5>3", 1),
        ("5<3", 0),
        ("3<=3 && 4>=5 || 1", 1),
        ("2==2", 1),
        ("2!=2", 0),
        ("-1 < 0", 1),
        ("-1 < 0U", 0),
        ("6&3|8", 10),
        ("6^3&1", 7),
        ("!5", 0),
        ("!!5", 1),
        ("~0", u64::MAX as i128),
        ("-(1+2)", -3),
        ("(.u64)-1", u64::MAX as i128),
        ("(.s64)0xFFFFFFFFFFFFFFFF", -1),
        ("1?2:3", 2),
        ("0?2:0?3:4", 4),
        ("1 ? 0 ? 5 : 6 : 7", 6),
        ("(1>0?2:3)+1", 3),
        ("9223372036854775807+1", i64::MIN as i128),
        ("-9223372036854775808/-1", i64::MIN as i128),
    ];
    for (text, expected) in whole {
        assert_eq!(value(text), Number::Integer(expected), "{text}");
    }
    assert_eq!(value("1.5+2.0*2.0"), Number::Double(5.5_f64.to_bits()));
    assert_eq!(value("1.5 > 1.0"), Number::Integer(1));
    assert_eq!(value("1.0/0.0"), Number::Double(f64::INFINITY.to_bits()));
}

#[test]
fn a_word_is_a_name_wherever_it_can_be_one() {
    // opcodes, types and directives without their dots are no keywords
    let found = body(".reg .u32 add, mov, reg;\nret: add.u32 add, mov, reg; call ret;");
    assert_eq!(found.len(), 4);
}
