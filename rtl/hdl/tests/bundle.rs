//! Bundles: their names and order, and what connections drive.

use txbar_hdl::order::Derived;
use txbar_hdl::*;

bundle! {
    /// A question.
    pub bundle Question {
        /// Somebody asks.
        pub valid: Forth<Bit>,
        /// It is heard.
        pub ready: Back<Bit>,
        /// What is asked.
        pub words: Forth<[Bits<8>; 2]>,
    }
}

bundle! {
    /// A question and its answer.
    pub bundle Talk {
        /// The question.
        pub ask: Forth<Question<Local>>,
        /// The answer, which is a question, too.
        pub tell: Back<Question<Local>>,
    }
}

hardware! {
    /// Answers with what it is asked, a cycle later.
    pub module Echo = "echo" {
        /// Its talk.
        pub talk: Talk<In>,
        /// It has been asked.
        pub(crate) asked: ControlReg<Bit>,
        /// What it was asked.
        pub(crate) heard: Lanes<Reg<Bits<8>>, 2>,
        /// How many words.
        pub(crate) words: usize,
    }
    processes { Answer, Hear }
}

#[processes]
impl Echo {
    fn answer(&mut self) {
        self.talk.tell.valid.next = self.asked.q.val();
        for w in 0..self.words {
            self.talk.tell.words[w].next = self.heard[w].q.val();
        }
    }

    fn hear(&mut self) {
        self.talk.ask.ready.next = !self.asked.q.val() | self.talk.tell.ready.val();
        if self.talk.ask.ready.val() {
            self.asked.d.next = self.talk.ask.valid.val();
            for w in 0..self.words {
                self.heard[w].d.next = self.talk.ask.words[w].val();
            }
        }
    }
}

fn echo() -> Echo {
    Echo { heard: Lanes::new(2), words: 2, ..Echo::default() }
}

hardware! {
    /// Echoes side by side.
    pub module Valley = "valley" {
        /// What is said to each.
        pub side: Lanes<Talk<In>, 2>,
        /// Each is quiet.
        pub quiet: Lanes<Signal<In, Bit>, 2>,
        /// The echoes.
        pub(crate) echo: Lanes<Echo, 2>,
        /// How many.
        pub(crate) echoes: usize,
    }
    processes { Forth, Back }
}

#[processes]
impl Valley {
    fn forth(&mut self) {
        for e in 0..self.echoes {
            self.echo[e].talk <<= self.side[e];
            if self.quiet[e].val() {
                self.echo[e].talk.ask.valid.next = false;
            }
        }
    }

    fn back(&mut self) {
        for e in 0..self.echoes {
            self.echo[e].talk >>= self.side[e];
        }
    }
}

fn valley() -> Valley {
    Valley { side: Lanes::new(2), quiet: Lanes::new(2), echo: Lanes::of(2, echo), echoes: 2 }
}

/// What is driven in a cycle.
fn settle(valley: &mut Valley) {
    Process::<Forth>::update(valley);
    for echo in valley.echo.iter_mut() {
        Process::<Answer>::update(echo);
        Process::<Hear>::update(echo);
    }
    Process::<Back>::update(valley);
}

#[test]
fn connections_carry_what_goes_forth_and_what_comes_back() {
    let mut valley = valley();
    valley.side[0].ask.valid.next = true;
    valley.side[0].ask.words[1].next = 9.into();
    valley.side[1].ask.valid.next = true;
    valley.quiet[1].next = true;
    settle(&mut valley);
    assert!(valley.side[0].ask.ready.val() && !valley.side[0].tell.valid.val());
    settled::check(&valley, &valley.clone(), &(), "now");
    valley.tick();
    settle(&mut valley);
    assert!(valley.side[0].tell.valid.val() && !valley.side[0].ask.ready.val());
    assert_eq!([0, 1].map(|w| valley.side[0].tell.words[w].val().raw()), [0, 9]);
    assert!(!valley.side[1].tell.valid.val(), "it was quiet");
    valley.side[0].tell.ready.next = true;
    settle(&mut valley);
    assert!(valley.side[0].ask.ready.val(), "what goes back comes back at once");
}

#[test]
fn a_bundle_has_the_ports_of_its_signals_and_a_connection_their_assignments() {
    let verilog = verilog::print(&valley(), &(), &Names::default(), "my").expect("it is an identifier");
    let ports: Vec<(&str, &str)> =
        verilog.ports.iter().filter(|port| port.is_data()).map(|port| (port.direction, port.name.as_str())).collect();
    let side = [
        ("input", "side_ask_valid"),
        ("output", "side_ask_ready"),
        ("input", "side_ask_words_L_0"),
        ("input", "side_ask_words_L_1"),
        ("output", "side_tell_valid"),
        ("input", "side_tell_ready"),
        ("output", "side_tell_words_L_0"),
        ("output", "side_tell_words_L_1"),
    ];
    // signal by signal, each in all lanes
    let groups = [&side[..1], &side[1..2], &side[2..4], &side[4..5], &side[5..6], &side[6..]];
    let lane = |name: &str, lane: usize| match name.contains("_L_") {
        true => name.replace("_L_", &format!("_{lane}_")),
        false => format!("{name}_{lane}"),
    };
    let expected: Vec<(&str, String)> = groups
        .iter()
        .flat_map(|group| (0..2).flat_map(move |index| group.iter().map(move |(way, name)| (*way, lane(name, index)))))
        .chain([("input", "quiet_0".to_owned()), ("input", "quiet_1".to_owned())])
        .collect();
    assert_eq!(ports, expected.iter().map(|(way, name)| (*way, name.as_str())).collect::<Vec<_>>());
    let forth = "
    echo_1_talk_ask_valid = side_ask_valid_1;
    echo_1_talk_ask_words_0 = side_ask_words_1_0;
    echo_1_talk_ask_words_1 = side_ask_words_1_1;
    echo_1_talk_tell_ready = side_tell_ready_1;
    if (quiet_1) begin
      echo_1_talk_ask_valid = 1'b0;
    end
";
    let back = "
    side_ask_ready_1 = echo_1_talk_ask_ready;
    side_tell_valid_1 = echo_1_talk_tell_valid;
    side_tell_words_1_0 = echo_1_talk_tell_words_0;
    side_tell_words_1_1 = echo_1_talk_tell_words_1;
  end
";
    assert!(verilog.text.contains(forth) && verilog.text.contains(back), "{}", verilog.text);
    let mut values = [0; 100];
    let left = valley().values(&mut values).len();
    assert_eq!(100 - left, ports.len() + 2 * (side.len() + 2 * 3), "a value for each signal");
}

#[test]
fn a_connection_is_no_loop() {
    assert_eq!(verilog::find_loop(&valley(), &(), &Names::default()), None);
    let mut derived = Derived::new(&["Echo"]);
    derived.add(&valley(), &(), &Names::default());
    let order = derived.rust(&[], &[], &[]).expect("forth, echo, back");
    let place = |call: &str| order.find(call).unwrap_or_else(|| panic!("no {call} in {order}"));
    assert!(place(" Forth,") < place("each echo.settle()") && place("each echo.settle()") < place(" Back }"));
}

hardware! {
    /// Passes a question on.
    pub module Relay = "relay" {
        /// What comes.
        pub question: Flat<Question<In>>,
        /// What goes.
        pub onward: Question<Out>,
    }
    processes { Pass }
}

#[processes]
impl Relay {
    fn pass(&mut self) {
        self.onward <<= self.question;
        self.onward >>= self.question;
    }
}

#[test]
fn a_flat_bundle_has_no_name_before_those_of_its_signals() {
    let verilog = verilog::print(&Relay::default(), &(), &Names::default(), "my").expect("it is an identifier");
    for line in ["input  wire valid,", "    onward_words_1 = words_1;", "    ready = onward_ready;"] {
        assert!(verilog.text.contains(line), "no `{line}` in {}", verilog.text);
    }
    let mut relay = Relay::default();
    relay.question.valid.next = true;
    relay.onward.ready.next = true;
    Process::<Pass>::update(&mut relay);
    assert!(relay.onward.valid.val() && relay.question.ready.val());
}

interface! {
    /// What comes and goes.
    pub interface Pins {
        /// What comes.
        pub asked: Lanes<Question<In>, 2>,
        /// What goes.
        pub passed: Lanes<Question<Out>, 2>,
    }
}

hardware! {
    /// Passes on what comes at its pins.
    pub module Pass2 = "pass_2" {
        /// Its pins.
        pub pins: Pins,
        /// What stands between.
        pub relay: Lanes<Relay, 2>,
        /// How many.
        pub relays: usize,
    }
    processes { Enter, Leave }
}

#[processes]
impl Pass2 {
    fn enter(&mut self) {
        for k in 0..self.relays {
            self.relay[k].question <<= self.pins.asked[k];
        }
    }

    fn leave(&mut self) {
        for k in 0..self.relays {
            self.pins.passed[k] <<= self.relay[k].onward;
            self.pins.passed[k] >>= self.relay[k].onward;
            self.relay[k].question >>= self.pins.asked[k];
        }
    }
}

#[test]
fn bundles_of_an_interface_are_connected_under_its_name() {
    let pins = Pins { asked: Lanes::new(2), passed: Lanes::new(2) };
    let mut pass = Pass2 { pins, relay: Lanes::new(2), relays: 2 };
    let verilog = verilog::print(&pass, &(), &Names::default(), "my").expect("it is an identifier");
    for line in ["    relay_1_valid = asked_valid_1;", "    asked_ready_0 = relay_0_ready;"] {
        assert!(verilog.text.contains(line), "no `{line}` in {}", verilog.text);
    }
    pass.pins.asked[1].valid.next = true;
    Process::<Enter>::update(&mut pass);
    assert!(pass.relay[1].question.valid.val() && !pass.relay[0].question.valid.val());
}

hardware! {
    /// Half of a pair.
    pub module Half = "half" {
        /// A number.
        pub number: InReg<Bits<8>>,
        /// Whether it counts.
        pub counts: Signal<In, Bit>,
        /// Numbers that were there.
        pub shown_number: OutReg<Bits<8>>,
        /// Whether they count.
        pub shown_counts: Signal<Out, Bit>,
    }
    processes { Show }
}

#[processes]
impl Half {
    fn show(&mut self) {
        if self.counts.val() {
            connect!(self.shown_* <<= self.*: number);
        }
        connect!(self.shown_* <<= self.*: counts);
    }
}

hardware! {
    /// Two halves.
    pub module Pair = "pair" {
        /// Take what comes.
        pub take: Signal<In, Bit>,
        /// Numbers that come.
        pub number: Lanes<Signal<In, Bits<8>>, 2> = Lanes::new(2),
        /// Whether they count.
        pub counts: Lanes<Signal<In, Bit>, 2> = Lanes::new(2),
        /// Numbers that were there.
        pub number_of: Lanes<OutReg<Bits<8>>, 2> = Lanes::new(2),
        /// Whether they count.
        pub counts_of: Lanes<OutReg<Bit>, 2> = Lanes::new(2),
        /// The halves.
        pub half: Lanes<Half, 2> = Lanes::new(2),
        /// How many.
        pub halves: usize = 2,
    }
    processes { Join, Keep }
    /// As it is.
    built by pub fn whole() {}
}

#[processes]
impl Pair {
    fn join(&mut self) {
        for h in 0..self.halves {
            connect!(self.half[h].* <<= self.*[h]: number, counts);
        }
    }

    fn keep(&mut self) {
        for h in 0..self.halves {
            keep!(self.counts_of[h], self.number_of[h]);
            if !self.counts[h].val() & !self.take.val() {
                clear!(self.number_of[h], self.counts_of[h]);
            }
            if self.take.val() {
                self.number_of[h] <<= self.half[h].shown_number;
                self.counts_of[h] <<= self.half[h].shown_counts;
            }
        }
    }
}

#[test]
fn signals_and_registers_of_the_same_names_are_connected_by_a_list() {
    let mut pair = Simulator::new(Pair::whole(), &(), &Names::default()).expect("no loop");
    let mut seen = Vec::new();
    for (take, counts) in [(true, true), (true, true), (true, false), (false, false), (true, true)] {
        (pair.take.next, pair.counts[1].next) = (take, counts);
        pair.number[1].next = (seen.len() as u64 + 5).into();
        pair.settle();
        pair.tick();
        seen.push((pair.number_of[1].q.val().raw(), pair.counts_of[1].q.val()));
    }
    assert_eq!(seen, [(0, true), (0, true), (5, false), (0, false), (5, true)]);
    let text = verilog::print(&*pair, &(), &Names::default(), "my").expect("a prefix").text;
    let kept = "    shown_number_next = shown_number;\n    if (counts) begin\n      shown_number_next = number_q;\n    end\n    shown_counts = counts;\n";
    assert!(text.contains(kept), "{text}");
    let joined = "half_0_number = number_0;\n    half_0_counts = counts_0;\n    half_1_number = number_1;";
    assert!(text.contains(joined), "{text}");
    let kept = "counts_of_0_next = counts_of_0;\n    number_of_0_next = number_of_0;\n    if ((~counts_0) & (~take)) begin\n      number_of_0_next = 8'd0;\n      counts_of_0_next = 1'b0;\n    end\n    if (take) begin\n      number_of_0_next = half_0_shown_number;";
    assert!(text.contains(kept), "{text}");
}
