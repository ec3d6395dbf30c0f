//! Shared by tests of exported files: packages in a directory, and the tools that read them.

use std::fs;
use std::path::Path;
use txbar_export::manifest::Manifest;
use txbar_export::package;
use txbar_export::tools::{Tool, said};
use txbar_export::verilog::Export;

pub const SLANG: Tool = Tool { program: "slang", brought_by: "`scripts/setup-tools`" };

/// Writes the package of an export; gives its manifest.
pub fn write(directory: &Path, name: &str, export: Export, manifest: impl Fn(&Export, &str) -> Manifest) -> Manifest {
    let export = export.named(name).expect("the name is right");
    let manifest = manifest(&export, &format!("{name}.v"));
    for file in package::files(name, &export.text, &manifest) {
        fs::write(directory.join(file.name), file.text).expect("it can be written");
    }
    manifest
}

/// Runs a tool in a directory; gives whether it ended well, and what it printed.
pub fn run(tool: Tool, directory: &Path, arguments: &[&str]) -> (bool, String) {
    let mut command = tool.command().unwrap_or_else(|missing| panic!("{missing}"));
    let command = command.args(arguments).current_dir(directory).env("PYTHONDONTWRITEBYTECODE", "1");
    let output = command.output().expect("it can be started");
    (output.status.success(), said(&output))
}

/// Runs a tool that must have nothing to say.
pub fn reads(tool: Tool, directory: &Path, arguments: &[&str]) {
    let (well, text) = run(tool, directory, arguments);
    let complains = text.contains("warning:") || text.contains("%Warning");
    assert!(well && !complains, "{} {}:\n{text}", tool.program, arguments.join(" "));
}
