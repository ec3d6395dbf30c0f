//! `txbar host`: a board at a serial port.

use crate::check;
use crate::shell::files::Files;
use crate::shell::progress;
use crate::{Build, Json, Verdict};
use crate::{note, say};
use anyhow::{Context, Result, bail};
use clap::Args;
use serialport::SerialPort;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::time::Duration;
use txbar_export::boards::BAUD;
use txbar_rtl::board::parameters::BoardParameters;
use txbar_testbench::wire::Line;
use txbar_testbench::wire::host::{Host, Identity};
use txbar_testbench::wire::simulated::SimulatedBoard;

/// Replays recordings on a board that has the bridge (`txbar verilog --top bridge`), over a serial port: each record on a word of
/// its own, as `check` does. Prints the mismatches (the first 20) and how many records match; exits with 0 only if all do.
#[derive(Args)]
pub struct Arguments {
    /// Recordings: op,arg,word_before,token,word_after,result
    #[arg(required_unless_present_any = ["identify", "simulate"], value_name = "FILE.csv")]
    files: Vec<PathBuf>,
    /// The serial port, such as /dev/ttyUSB0
    #[arg(long, value_name = "PORT", required_unless_present = "simulate")]
    port: Option<String>,
    /// Its baud rate
    #[arg(long, value_name = "N", default_value_t = BAUD)]
    baud: u32,
    /// Print what is on the board
    #[arg(long)]
    identify: bool,
    /// Simulate a board behind a pseudo-terminal until interrupted, and print its path
    #[arg(long)]
    simulate: bool,
    #[command(flatten)]
    build: Build,
    #[command(flatten)]
    json: Json,
}

/// Silence: long enough for what is under way at 9,600 baud, and for what USB adds.
const SILENCE: Duration = Duration::from_millis(400);
/// Cycles that are simulated before the pseudo-terminal is looked at again.
const STRETCH: usize = 2000;
/// Clock cycles of a bit of a simulated board: few, so that it is quick.
const SIMULATED_BIT: usize = 4;
/// Clock cycles of half a blink of a simulated board.
const SIMULATED_BEAT: usize = 1 << 20;

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Verdict> {
    let Arguments { files, port, baud, identify, simulate, build, json } = arguments;
    if *simulate {
        let parameters = BoardParameters::bridge(build.parameters()?, SIMULATED_BIT, SIMULATED_BEAT).check()?;
        return simulated(&parameters);
    }
    json.list(Files::default().reads(files)).check()?;
    let recordings = check::read(files)?;
    check::refuse_all_but_threads(&recordings, "a board has no ports for that: `txbar check` replays it")?;
    let Some(name) = port else { bail!("--port names the serial port") };
    let mut host = connect(name, *baud).with_context(|| name.clone())?;
    if *identify {
        print(&host.identity());
    }
    if recordings.is_empty() {
        return Ok(Verdict::Pass);
    }
    check::refuse_checked(host.identity().checked, "this takes a bridge that was built without --checked")?;
    let replays = check::replay_all(&mut host, &recordings);
    if let Some(failure) = host.failure() {
        return Err(failure).with_context(|| name.clone());
    }
    check::conclude(&recordings, &replays, json)
}

/// Finds the bridge at a serial port.
fn connect(name: &str, baud: u32) -> Result<Host<Port>> {
    let spinner = progress::spinner("looking for the bridge");
    let port = serialport::new(name, baud).timeout(SILENCE).open().map_err(|error| match error.kind() {
        serialport::ErrorKind::NoDevice | serialport::ErrorKind::Io(io::ErrorKind::NotFound) => {
            anyhow::anyhow!("there is no such serial port, or it is in use")
        }
        serialport::ErrorKind::InvalidInput => anyhow::anyhow!("the port cannot be set to {baud} baud"),
        _ => anyhow::anyhow!("it cannot be opened: {}", error.description),
    })?;
    port.clear(serialport::ClearBuffer::All).context("it cannot be cleared")?;
    let host = Host::connect(Port(port));
    spinner.finish_and_clear();
    Ok(host?)
}

/// A serial port as a line.
struct Port(Box<dyn SerialPort>);

impl Line for Port {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)?;
        self.0.flush()
    }

    fn receive(&mut self, into: &mut Vec<u8>) -> io::Result<()> {
        let mut buffer = [0; 1024];
        match self.0.read(&mut buffer) {
            Ok(0) => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the port has been closed")),
            Ok(count) => {
                into.extend(&buffer[..count]);
                Ok(())
            }
            Err(error) if matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::Interrupted) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// Tells what is on the board.
fn print(identity: &Identity) {
    let Identity { version, ports, banks, words, waiters, clock_ns, counters, checked } = *identity;
    let clock = 1000.0 / clock_ns as f64;
    say!("txbar bridge, protocol version {version}");
    say!("ports     {ports}");
    say!("banks     {banks}");
    say!("words     {words}");
    say!("waiters   {waiters}");
    say!("clock     {clock_ns} ns ({clock:.1} MHz)");
    say!("counters  {}", if counters { "yes" } else { "no" });
    say!("checked   {}", if checked { "yes" } else { "no" });
}

/// A simulated board behind a pseudo-terminal.
#[cfg(unix)]
fn simulated(parameters: &BoardParameters) -> Result<Verdict> {
    use serialport::TTYPort;
    // the other end stays open here, so that hosts may come and go
    let (mut line, terminal) = TTYPort::pair().context("cannot open a pseudo-terminal")?;
    let Some(name) = terminal.name() else { bail!("the pseudo-terminal has no name") };
    say!("{name}");
    io::stdout().flush().context("the name cannot be printed")?;
    note!("a board waits there for `txbar host --port {name}`; Ctrl-C ends it");
    line.set_timeout(Duration::from_millis(100)).context("the pseudo-terminal cannot be set up")?;
    let mut board = SimulatedBoard::new(parameters);
    let mut buffer = [0; 1024];
    loop {
        let waits = board.rests() || line.bytes_to_read().context("the pseudo-terminal cannot be read")? > 0;
        if waits {
            match line.read(&mut buffer) {
                Ok(count) => board.push(&buffer[..count]),
                Err(error) if matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::Interrupted) => {}
                Err(error) => return Err(error).context("the pseudo-terminal cannot be read"),
            }
        }
        for _ in 0..STRETCH {
            if board.rests() {
                break;
            }
            board.cycle(&mut |_| {});
        }
        // output that is not read is lost, as on a line
        match line.write_all(&board.take()) {
            Err(error) if !matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::Interrupted) => {
                return Err(error).context("the pseudo-terminal cannot be written to");
            }
            _ => {}
        }
    }
}

/// No pseudo-terminals on this platform.
#[cfg(not(unix))]
fn simulated(_parameters: &BoardParameters) -> Result<Verdict> {
    bail!("--simulate needs pseudo-terminals, which this system does not have")
}
