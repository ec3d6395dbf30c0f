//! Every construct, and every error with its place.

mod constructs;
mod errors;
mod hardness;

use super::parse;
use crate::ast::{Function, Instruction, Module, Operand, Statement};
use crate::source::Source;
use miette::{GraphicalReportHandler, GraphicalTheme};

const HEAD: &str = ".version 8.6\n.target sm_90\n.address_size 64\n";

/// What an error looks like on a terminal.
fn error(text: &str) -> String {
    let error = parse(&Source::new("k.ptx", text)).expect_err("this has an error");
    let mut shown = String::new();
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).with_links(false);
    handler.with_width(100).render_report(&mut shown, &error).expect("a string takes everything");
    shown.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// What is wrong with statements within an entry.
fn body_error(body: &str) -> String {
    error(&format!("{HEAD}.entry k() {{\n{body}\n}}\n"))
}

/// What is wrong with lines outside of functions.
fn module_error(lines: &str) -> String {
    error(&format!("{HEAD}{lines}\n"))
}

fn module(lines: &str) -> Module {
    let source = Source::new("k.ptx", format!("{HEAD}{lines}"));
    parse(&source).unwrap_or_else(|error| panic!("{:?}", miette::Report::new(error)))
}

fn function(lines: &str) -> Function {
    module(lines).functions.pop().expect("a function")
}

fn body(statements: &str) -> Vec<Statement> {
    function(&format!(".entry k() {{\n{statements}\n}}")).body.expect("a body")
}

fn instruction(text: &str) -> Instruction {
    match body(text).pop() {
        Some(Statement::Instruction(instruction)) => instruction,
        other => panic!("{other:?}"),
    }
}

fn operands(text: &str) -> Vec<Operand> {
    instruction(text).operands.into_iter().map(|operand| operand.value).collect()
}
