use crate::parse::parse;
use crate::program::Program;
use crate::source::Source;

/// Positions of the instructions `nanosleep` of a body with these directives behind it.
fn positions(body: &str, files: &str) -> Vec<String> {
    let text = format!(".version 8.6\n.target sm_90\n.address_size 64\n.entry k()\n{{\n{body}\nret;\n}}\n{files}\n");
    let source = Source::new("k.ptx", text);
    let program = Program::new(&parse(&source).expect("it is PTX"), "k").expect("it is a kernel");
    let sleeps = (0..program.len()).filter(|pc| source.at(program.span(*pc)).starts_with("nanosleep"));
    sleeps.map(|pc| program.position(&source, pc).to_string()).collect()
}

const FILES: &str = ".file 1 \"/home/me/ring.cu\"\n.file 2 \"/home/me/wait.cuh\"\n\
    .section .debug_str {\n$L_wait:\n.b8 119,97,105,116,0\n$L_try:\n.b8 116,114,121,0\n}";

#[test]
fn an_instruction_has_the_loc_before_it() {
    let body = "nanosleep.u32 1;\n.loc 1 27 17\nnanosleep.u32 1;\nnanosleep.u32 1;\n.loc 2 5 1\nhere:\nnanosleep.u32 1;\n\
                .loc 1 0 17\nnanosleep.u32 1;\n.loc 7 1 1\nnanosleep.u32 1;";
    let expected = [
        "line 6",
        "ring.cu:27 (PTX line 8)",
        "ring.cu:27 (PTX line 9)",
        "wait.cuh:5 (PTX line 12)",
        "line 14",
        "line 16",
    ];
    assert_eq!(positions(body, FILES), expected, "line 0 and files that are not named say nothing");
}

#[test]
fn functions_that_were_inlined_follow_the_line_of_the_kernel() {
    let body = ".loc 1 27 17\n.loc 2 51 5, function_name $L_wait, inlined_at 1 27 17\nnanosleep.u32 1;\n\
                .loc 2 45 15, function_name $L_try, inlined_at 2 51 5\nnanosleep.u32 1;";
    let expected =
        ["ring.cu:27 (PTX line 8, inlined wait.cuh:51)", "ring.cu:27 (PTX line 10, inlined wait.cuh:51, wait.cuh:45)"];
    assert_eq!(positions(body, FILES), expected);
}

#[test]
fn of_a_function_that_was_inlined_twice_the_basic_block_tells_which() {
    let wait = |line: u32| format!(".loc 2 51 5, function_name $L_wait, inlined_at 1 {line} 17\n");
    let r#try = ".loc 2 45 15, function_name $L_try, inlined_at 2 51 5\nnanosleep.u32 1;\n";
    let (first, second) = (wait(27), wait(40));
    let inlined = |line: u32, ptx: u32| format!("ring.cu:{line} (PTX line {ptx}, inlined wait.cuh:51, wait.cuh:45)");
    // as compilers write a loop that was unrolled: the call is named behind what was inlined
    let body = format!(
        ".loc 1 27 17\n{first}{try}bra a;\na:\n.loc 1 40 17\n{second}{try}bra b;\nb:\n{try}{first}bra c;\nc:\n{try}"
    );
    let expected = [
        inlined(27, 9),
        inlined(40, 15),
        inlined(27, 19),
        "wait.cuh:51 (PTX line 24, inlined wait.cuh:45)".to_owned(), // nothing tells: the frames end there
    ];
    assert_eq!(positions(&body, FILES), expected);
}

#[test]
fn a_function_that_calls_itself_has_an_end() {
    let body = ".loc 1 5 5, function_name $L_wait, inlined_at 1 5 5\nnanosleep.u32 1;\n.loc 1 5 5, function_name $L_wait, inlined_at 1 5 5\nnanosleep.u32 1;";
    assert_eq!(positions(body, FILES).len(), 2);
}

#[test]
fn comments_of_llvm_name_calls_too() {
    let body = ".loc 2 168 27                        // standard.py:168:27 @[ soft.py:13:22 ]\nnanosleep.u32 1;\n\
                .loc 1 14 15 // soft.py:14:15\nnanosleep.u32 1;\n.loc 1 6 1 // soft.py:6:1 @[ other.py:7:1 ]\nnanosleep.u32 1;";
    let files = ".file 1 \"/tmp/soft.py\"\n.file 2 \"/lib/triton/language/standard.py\"";
    let expected = [
        "soft.py:13 (PTX line 7, inlined standard.py:168)",
        "soft.py:14 (PTX line 9)",
        "other.py:7 (PTX line 11, inlined soft.py:6)",
    ];
    assert_eq!(positions(body, files), expected);
}

#[test]
fn files_of_one_name_are_told_apart() {
    let body = ".loc 1 1 1\nnanosleep.u32 1;\n.loc 2 2 1\nnanosleep.u32 1;\n.loc 3 3 1\nnanosleep.u32 1;";
    let files = ".file 1 \"/a/x/k.cu\"\n.file 2 \"/b/x/k.cu\"\n.file 3 \"C:\\\\a\\\\l.cu\"";
    assert_eq!(positions(body, files), ["a/x/k.cu:1 (PTX line 7)", "b/x/k.cu:2 (PTX line 9)", "l.cu:3 (PTX line 11)"]);
}

#[test]
fn lines_of_inline_assembly_are_those_of_its_statement() {
    let body = ".loc 1 21 12\n// begin inline asm\n.loc 1 21 12\nnanosleep.u32 1;\n.loc 1 22 12\nnanosleep.u32 1;\n// end inline asm\n\
                nanosleep.u32 1;\n.loc 1 23 1\nnanosleep.u32 1;";
    let expected =
        ["ring.cu:21 (PTX line 9)", "ring.cu:21 (PTX line 11)", "ring.cu:21 (PTX line 13)", "ring.cu:23 (PTX line 15)"];
    assert_eq!(positions(body, FILES), expected);
}
