//! A design of another repository: its widths, numbers and codes are registered, and its Verilog is printed.

use txbar_hdl::*;

symbols! {
    /// One bit a lamp.
    Lamps, LAMPS, LampMask;
    /// Number of a lamp.
    LampIndex, LAMP_INDEX, LampIndex;
}

/// How many lamps there are.
struct Street(usize);

impl Widths for Street {
    fn of_symbol(&self, code: usize) -> usize {
        match Symbol::from_code(code) {
            Symbol::Lamps => self.0,
            Symbol::LampIndex => self.0.ilog2() as usize,
        }
    }
}

/// What a lamp shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Color {
    /// Nothing.
    Dark = 0,
    /// Stop.
    Red = 1,
    /// Two words.
    DeepBlue = 2,
}

impl Color {
    const BITS: usize = 2;
    const ALL: &'static [Color] = &[Color::Dark, Color::Red, Color::DeepBlue];

    const fn name(self) -> &'static str {
        match self {
            Color::Dark => "dark",
            Color::Red => "red",
            Color::DeepBlue => "deep_blue",
        }
    }

    const fn code(self) -> u8 {
        self as u8
    }
}

codes!(Color);

mod message {
    /// Where the color is.
    pub const COLOR: usize = 3;
}

hardware! {
    /// A lamp.
    pub module Lamp = "lamp" {
        /// It is on.
        pub on: InReg<Bit>,
        /// What it shows.
        pub color: OutControlReg<Bits<{ Color::BITS }>, CodeView<Color>>,
        /// The message in this cycle.
        pub message: Signal<In, Bits<8>>,
        /// Go on.
        pub advance: Signal<In, Bit>,
        /// What the message said.
        pub(crate) said: StageReg<Bits<2>>,
    }
    processes { Light }
    staged by advance
}

#[processes]
impl Lamp {
    fn light(&mut self) {
        self.said.d.next = self.message.val().get_bits::<2>(message::COLOR);
        self.color.d.next = Color::Dark.into();
        if self.on.q.val() & (self.said.q.val() != Color::DeepBlue) {
            self.color.d.next = Color::Red.into();
        }
    }
}

hardware! {
    /// Lamps side by side, and one that is remembered.
    pub module Row = "row" {
        /// Those that are on.
        pub on: Signal<In, LampMask>,
        /// The one to look up.
        pub which: Signal<In, LampIndex>,
        /// The message to all.
        pub message: Signal<In, Bits<8>>,
        /// Which was written last there.
        pub last: Signal<Out, LampIndex>,
        /// What all show.
        pub color: Lanes<Signal<Out, Bits<{ Color::BITS }>, CodeView<Color>>, 4>,
        /// The lamps.
        pub(crate) lamp: Lanes<Lamp, 4>,
        /// What was looked up.
        pub(crate) memory: LutRam<LampIndex, LampIndex>,
        /// How many there are.
        pub(crate) lamps: usize,
    }
    constants {
        /// What nobody says.
        SILENCE: Bits<8> = Bits::constant(0xff);
    }
    processes { Connect }
}

#[processes]
impl Row {
    fn connect(&mut self) {
        for k in 0..self.lamps {
            self.lamp[k].on.d.next = self.on.val().get_bit(k);
            self.lamp[k].message.next = self.message.val();
            self.lamp[k].advance.next = self.message.val() != SILENCE;
            self.color[k].next = self.lamp[k].color.q.val();
        }
        self.memory.read_address.next = self.which.val();
        self.memory.write_address.next = self.which.val();
        self.memory.write_data.next = self.which.val();
        self.memory.write_enable.next = self.on.val().any();
        self.last.next = self.memory.read_data.val();
    }
}

fn row(lamps: usize) -> Row {
    Row { color: Lanes::new(lamps), lamp: Lanes::new(lamps), memory: LutRam::new(lamps), lamps, ..Row::default() }
}

fn names() -> Names {
    let mut names = Names::new("STREET");
    names.codes::<Color>();
    names.numbers(numbers![message::COLOR]);
    names
}

#[test]
fn what_a_design_registers_is_in_its_verilog() {
    let verilog = verilog::print(&row(4), &Street(4), &names(), "street").expect("it is an identifier");
    assert_eq!(verilog.top, "street_row");
    for line in [
        "  input  wire [3:0] on,       // Those that are on.",
        "  input  wire [1:0] which,    // The one to look up.",
        "  output reg  [1:0] last,     // Which was written last there.",
        "  localparam [7:0] SILENCE = 8'hff;  // What nobody says.",
        "  localparam [1:0] COLOR_DEEP_BLUE = 2'd2;",
        "    said_next = message[4:3];",
        "    color_next = COLOR_DARK;",
        "    if (on_q & (said != COLOR_DEEP_BLUE)) begin",
        "      color_next = COLOR_RED;",
        "    lamp_3_on = on[3];",
        "    lamp_0_advance = message != SILENCE;",
        "    memory_write_enable = |on;",
        "  street_lut_ram #(.WIDTH(2), .DEPTH(4), .ADDRESS_BITS(2)) memory (",
        "    if (advance) begin",
    ] {
        assert!(verilog.text.lines().any(|known| known == line), "no line `{line}` in\n{}", verilog.text);
    }
    let modules = |text: &str| text.lines().filter(|line| line.starts_with("module ")).count();
    assert_eq!(modules(&verilog.text), 3, "four lamps are one module");
    let widths: Vec<(&str, usize)> = verilog.ports.iter().map(|port| (port.name.as_str(), port.width)).collect();
    assert_eq!(widths[..5], [("clk", 1), ("rst", 1), ("on", 4), ("which", 2), ("message", 8)]);

    let two = verilog::print(&row(2), &Street(2), &names(), "street").expect("it is an identifier");
    assert!(
        two.text.contains("input  wire [0:0] which,"),
        "a width that is a parameter is a vector always\n{}",
        two.text
    );
}

#[test]
fn the_simulation_does_what_the_kernels_say() {
    let mut row = row(4);
    row.on.next = 0b0101.into();
    for (message, lamp_0) in [(0x00, Color::Dark), (0x10, Color::Dark), (0xff, Color::Red), (0x00, Color::Dark)] {
        row.message.next = message.into();
        for _ in 0..2 {
            Process::<Connect>::update(&mut row);
            row.lamp.iter_mut().for_each(Process::<Light>::update);
        }
        assert_eq!(row.lamp[0].color.q.val(), lamp_0, "message {message:#x}");
        assert_eq!(row.lamp[1].color.q.val(), Color::Dark);
        settled::check(&row, &row.clone(), &Street(4), "now");
        row.tick();
    }
}

#[test]
#[should_panic = "now: top.which = 0xf has more than 2 bits"]
fn a_value_that_does_not_fit_is_told() {
    let mut row = row(4);
    row.which.next = (0u64.wrapping_sub(1) >> 60).into();
    settled::check(&row, &row.clone(), &Street(4), "now");
}

#[test]
#[should_panic = "lamp: `message$COLOR` is not declared"]
fn a_number_that_is_not_registered_is_told() {
    let mut names = Names::default();
    names.codes::<Color>();
    let _ = verilog::print(&row(4), &Street(4), &names, "street");
}

#[test]
fn a_prefix_must_be_an_identifier() {
    for bad in ["", "1a", "a-b", "_a"] {
        let error = verilog::print(&row(4), &Street(4), &names(), bad).expect_err("it is none");
        assert!(error.to_string().contains(&format!("`{bad}`")), "{error}");
    }
}

hardware! {
    /// Asks its neighbour, and passes on what it answers.
    pub module Asker = "asker" {
        /// What the neighbour says.
        pub heard: Signal<In, Bits<4>>,
        /// What it says itself.
        pub said: Signal<Out, Bits<4>>,
        /// The same, a cycle later.
        pub late: OutReg<Bits<4>>,
        /// Something in between.
        pub(crate) thought: Signal<Local, Bits<4>>,
    }
    processes { Pass }
}

#[processes]
impl Asker {
    fn pass(&mut self) {
        self.thought.next = self.heard.val();
        if self.thought.val().get_bit(0) {
            self.thought.next = self.thought.val() + 1; // of itself as it was: no loop
        }
        self.said.next = 3.into();
        if self.thought.val().any() {
            self.said.next = 5.into();
        }
        self.late.d.next = self.thought.val();
    }
}

hardware! {
    /// Each hears at once what the other says.
    pub module Circle = "circle" {
        /// One.
        pub(crate) one: Asker,
        /// The other.
        pub(crate) other: Asker,
    }
    processes { Connect1 }
}

#[processes]
impl Circle {
    fn connect1(&mut self) {
        self.one.heard.next = self.other.said.val();
        self.other.heard.next = self.one.said.val();
    }
}

hardware! {
    /// One hears what the other said a cycle ago.
    pub module Chain = "chain" {
        /// One.
        pub(crate) one: Asker,
        /// The other.
        pub(crate) other: Asker,
    }
    processes { Connect2 }
}

#[processes]
impl Chain {
    fn connect2(&mut self) {
        self.one.heard.next = self.other.late.q.val();
        self.other.heard.next = self.one.said.val();
    }
}

#[test]
fn a_combinational_loop_is_found() {
    let found = verilog::find_loop(&Circle::default(), &(), &Names::default()).expect("there is one");
    let ring =
        ["one.said", "one_said", "other_heard", "other.heard", "other.said", "other_said", "one_heard", "one.heard"];
    let begin = ring.iter().position(|net| *net == found[0]).expect("it is of the ring");
    let from_there: Vec<&str> = ring.iter().cycle().skip(begin).take(ring.len()).copied().collect();
    assert_eq!(found, from_there);
    assert_eq!(verilog::find_loop(&Chain::default(), &(), &Names::default()), None);
    assert_eq!(verilog::find_loop(&row(4), &Street(4), &names()), None);
}
