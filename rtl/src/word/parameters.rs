//! Parameters of a design, and the widths that follow from them.

use super::status::Status;
use super::symbols::Symbol;
use thiserror::Error;
use txbar_hdl::Widths;

/// Parameters of a top module, as used by tools that work on whole designs.
pub trait Design: Widths {
    /// Width of a symbol in bits.
    fn width(&self, symbol: Symbol) -> usize;
    /// Every parameter with its value, as spelt on the command line.
    fn list(&self) -> Vec<(&'static str, String)>;
    /// Base name of files.
    fn label(&self) -> String;
    /// Whether nearly every path has two levels of look-up tables, which synthesis must preserve.
    fn has_few_levels(&self) -> bool {
        false
    }
}

/// Widths of a design's signals, by symbol.
macro_rules! widths_of_symbols {
    ($parameters:ty) => {
        impl txbar_hdl::Widths for $parameters {
            fn of_symbol(&self, code: usize) -> usize {
                self.width(Symbol::from_code(code))
            }
        }
    };
}
pub(crate) use widths_of_symbols;
widths_of_symbols!(Parameters);

/// Width of an index below `count`; at least one bit.
pub(crate) fn index_bits(count: usize) -> usize {
    (count.next_power_of_two().ilog2() as usize).max(1)
}

/// Entries of the response queue in both high-clock builds.
pub const HIGH_CLOCK_ENTRIES: usize = 32;
/// Requests and answers in flight that a high-clock unit of one port always has room for.
pub const HIGH_CLOCK_ROOM: usize = 24;
/// Answers not yet accepted and suspended waits that a port of a banked high-clock unit may have while its requests are still accepted.
pub const BANKED_ROOM: usize = 28;

/// Pipeline of a unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Build {
    /// Lowest latency, any number of ports and banks, all features.
    #[default]
    LowLatency,
    /// High clock for one port and one bank: no suspended waits, no counters, no checked mode.
    HighClock,
    /// High clock for up to 8 ports and 8 banks, with suspended waits: no counters, no checked mode.
    BankedHighClock,
}

impl Build {
    /// Every build.
    pub const ALL: [Build; 3] = [Build::LowLatency, Build::HighClock, Build::BankedHighClock];

    /// Cycles from the acceptance of a request to its answer, without contention.
    pub const fn latency(self) -> usize {
        match self {
            Build::LowLatency => 5,
            Build::HighClock => 16,
            Build::BankedHighClock => 12,
        }
    }

    /// Name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Build::LowLatency => "low-latency",
            Build::HighClock => "high-clock",
            Build::BankedHighClock => "banked-high-clock",
        }
    }
}

/// Parameters of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parameters {
    /// Pipeline.
    pub build: Build,
    /// Request ports: 1 to 8.
    pub ports: usize,
    /// Banks that the words are spread over: a power of two from 1 to 32.
    pub banks: usize,
    /// 64-bit words of memory, all banks together: a power of two from 16 to 65536.
    pub words: usize,
    /// Width of a request's tag in bits: 1 to 16.
    pub tag_bits: usize,
    /// Low bits of the tag that number the requests of one thread; the bits above them name the thread. Less than `tag_bits`.
    pub number_bits: usize,
    /// Entries of a response queue: 1 to 64. From 6 on, one port alone can keep its bank busy.
    pub queue_depth: usize,
    /// Entries of the tables of suspended waits, all ports together: 0 to 64, rounded up to a multiple of the ports. With 0, `try_wait`
    /// answers at once.
    pub waiters: usize,
    /// Whether the ends of suspended waits are reported as masks of threads instead of answers: see [`wakes`](crate::low_latency::wakes).
    pub wake_mask: bool,
    /// Whether a group of arrivals in which phases end is performed in one cycle (see [`overrun`](crate::bank::overrun)) instead of member
    /// by member, in 6 cycles. Only in the low-latency build, with several ports, and not in checked mode.
    pub whole_groups: bool,
    /// Period of the clock in nanoseconds, 1 to 1000: converts time limits to cycles.
    pub clock_ns: usize,
    /// Fraction of the period in picoseconds, 0 to 999.
    pub clock_ps: usize,
    /// Whether events are counted; counters are read through a window of addresses.
    pub counters: bool,
    /// Checked mode: misuse that an H200 does not detect is reported by status.
    pub checked: bool,
}

impl Default for Parameters {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Unit of the hardware's time: nanoseconds or, if the period is no whole number of them, 1/1024 of a nanosecond. The period is then
/// rounded down, so time limits end late by at most one part in 1024, never early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Period of the clock in that unit.
    pub period: usize,
    /// Fraction bits of a time: 0 or 10.
    pub fraction_bits: usize,
}

impl Clock {
    /// Width of a time limit in nanoseconds; a time has one bit more, plus the fraction bits.
    pub const LIMIT_BITS: usize = 32;

    /// Index of the sign bit of a difference of times.
    pub fn sign(self) -> usize {
        Self::LIMIT_BITS + self.fraction_bits
    }

    /// 1 if times have fraction bits.
    pub fn fractions(self) -> usize {
        (self.fraction_bits > 0) as usize
    }
}

/// A parameter that cannot be built.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{name} = {value} cannot be built: {rule}")]
pub struct ParameterError {
    /// Name of the parameter.
    pub name: &'static str,
    /// Its value.
    pub value: usize,
    /// Allowed values.
    pub rule: &'static str,
}

impl Parameters {
    /// Default parameters.
    pub const DEFAULT: Self = Self {
        build: Build::LowLatency,
        ports: 4,
        banks: 8,
        words: 512,
        tag_bits: 8,
        number_bits: 0,
        queue_depth: 8,
        waiters: 32,
        wake_mask: false,
        whole_groups: true,
        clock_ns: 10,
        clock_ps: 0,
        counters: true,
        checked: false,
    };

    /// A high-clock unit with this many words.
    pub fn high_clock(words: usize) -> Self {
        Self {
            build: Build::HighClock,
            ports: 1,
            banks: 1,
            words,
            queue_depth: HIGH_CLOCK_ENTRIES,
            waiters: 0,
            counters: false,
            ..Self::default()
        }
    }

    /// A banked high-clock unit with this many ports and banks, and its usual other parameters.
    pub fn banked_high_clock(ports: usize, banks: usize) -> Self {
        Self {
            build: Build::BankedHighClock,
            ports,
            banks,
            queue_depth: HIGH_CLOCK_ENTRIES,
            counters: false,
            ..Self::default()
        }
    }

    /// Answers that a port may leave unaccepted while its requests are still accepted.
    pub fn room(&self) -> usize {
        match self.build {
            Build::LowLatency => self.queue_depth,
            Build::HighClock => HIGH_CLOCK_ROOM,
            Build::BankedHighClock => BANKED_ROOM,
        }
    }

    /// Whether it is a banked high-clock unit.
    pub fn is_banked(&self) -> bool {
        self.build == Build::BankedHighClock
    }

    /// Number of effect channels: ports, or the banks of a banked high-clock unit.
    pub fn effects(&self) -> usize {
        if self.is_banked() { self.banks } else { self.ports }
    }

    /// Cycles from the acceptance of a request to its answer, without contention.
    pub fn latency(&self) -> usize {
        self.build.latency()
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        self.words * 8
    }

    /// Words of one bank.
    pub fn rows(&self) -> usize {
        self.words / self.banks
    }

    /// Entries of each table of suspended waits: one a port, or one a bank in a banked high-clock unit.
    pub fn entries(&self) -> usize {
        self.waiters.div_ceil(self.effects())
    }

    /// Thread named by a tag.
    pub fn thread(&self, tag: u16) -> u16 {
        tag >> self.number_bits
    }

    /// A time limit in nanoseconds, as cycles.
    pub fn limit_cycles(&self, limit_ns: u32) -> u64 {
        let Clock { period, fraction_bits } = self.clock();
        (u64::from(limit_ns) << fraction_bits).div_ceil(period as u64)
    }

    /// Unit of the hardware's time.
    pub fn clock(&self) -> Clock {
        let fraction_bits = if self.clock_ps == 0 { 0 } else { 10 };
        Clock { period: ((self.clock_ns * 1000 + self.clock_ps) << fraction_bits) / 1000, fraction_bits }
    }

    /// Duration of this many cycles in nanoseconds, rounded down.
    pub fn nanoseconds(&self, cycles: u64) -> u64 {
        cycles * self.clock_ns as u64 + cycles * self.clock_ps as u64 / 1000
    }

    /// Period of the clock in nanoseconds, as text: `10`, `6.667`.
    pub fn period_text(&self) -> String {
        let Self { clock_ns, clock_ps, .. } = self;
        if *clock_ps == 0 {
            clock_ns.to_string()
        } else {
            format!("{clock_ns}.{clock_ps:03}").trim_end_matches('0').to_owned()
        }
    }

    /// Nanoseconds and picoseconds of a period given as text: a number with three decimals at most.
    pub fn read_period(text: &str) -> Option<[usize; 2]> {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let is_period = digits(whole) && digits(decimals) && decimals.len() <= 3;
        let parts = [whole.parse().ok()?, format!("{decimals:0<3}").parse().ok()?];
        is_period.then_some(parts)
    }

    /// The last cycle in which a completion counts for a wait with this tag and time limit (in nanoseconds) that is suspended in a
    /// cycle; cycles are counted since reset. In the low-latency build, time limits end in multiples of [`Parameters::entries`], or
    /// with the wake mask this many cycles after them, one more than the number of the thread.
    pub fn give_up(&self, cycle: u64, limit_ns: u32, tag: u16) -> u64 {
        let (end, entries) = (cycle + self.limit_cycles(limit_ns), self.entries() as u64);
        if self.wake_mask {
            let after = (u64::from(self.thread(tag)) + 1) % entries;
            // what is suspended is looked at from the next cycle on
            (end.max(cycle + 2) + entries - after).next_multiple_of(entries) + after - entries
        } else if self.build == Build::LowLatency {
            end.next_multiple_of(entries)
        } else {
            end
        }
    }

    /// Checks the parameters; an error names the parameter.
    pub fn check(self) -> Result<Self, ParameterError> {
        let refuse = |name, value, rule| Err(ParameterError { name, value, rule });
        if !(1..=8).contains(&self.ports) {
            return refuse("ports", self.ports, "it must be from 1 to 8");
        }
        if !self.banks.is_power_of_two() || !(1..=32).contains(&self.banks) {
            return refuse("banks", self.banks, "it must be a power of two from 1 to 32");
        }
        if !self.words.is_power_of_two() || !(16..=65536).contains(&self.words) {
            return refuse("words", self.words, "it must be a power of two from 16 to 65536");
        }
        if self.words < 4 * self.banks {
            return refuse("words", self.words, "there must be four or more in each bank");
        }
        if !(1..=16).contains(&self.tag_bits) {
            return refuse("tag-bits", self.tag_bits, "it must be from 1 to 16");
        }
        if self.number_bits >= self.tag_bits {
            return refuse("number-bits", self.number_bits, "it must be less than tag-bits");
        }
        if !(1..=64).contains(&self.queue_depth) {
            return refuse("queue-depth", self.queue_depth, "it must be from 1 to 64");
        }
        if self.waiters > 64 {
            return refuse("waiters", self.waiters, "it must be from 0 to 64");
        }
        if !(1000..=1_000_000).contains(&(self.clock_ns.saturating_mul(1000).saturating_add(self.clock_ps)))
            || self.clock_ps > 999
        {
            return refuse("clock-ns", self.clock_ns, "it must be from 1 to 1000");
        }
        if self.wake_mask {
            let threads = 1 << (self.tag_bits - self.number_bits).min(16);
            if self.build != Build::LowLatency {
                return refuse("wake-mask", 1, "a high-clock build has none: it must be off");
            }
            if !self.entries().is_power_of_two() || self.entries() > threads {
                let rule = "with wake-mask there must be a power of two for each port, and not more than threads";
                return refuse("waiters", self.waiters, rule);
            }
            if self.counters {
                return refuse("counters", 1, "with wake-mask nothing is counted: it must be off");
            }
        }
        let one = [
            ("ports", self.ports, 1, "the high-clock build has 1: banked-high-clock has up to 8"),
            ("banks", self.banks, 1, "the high-clock build has 1: banked-high-clock has up to 8"),
            ("waiters", self.waiters, 0, "the high-clock build has 0: banked-high-clock has suspended waits"),
        ];
        let many = [("banks", self.banks, self.banks.min(8), "the banked-high-clock build has 8 at most")];
        let both = [
            ("queue-depth", self.queue_depth, HIGH_CLOCK_ENTRIES, "a high-clock build has 32"),
            ("counters", self.counters as usize, 0, "a high-clock build counts nothing: it must be off"),
            ("checked", self.checked as usize, 0, "a high-clock build has no checked mode: it must be off"),
        ];
        let rules = match self.build {
            Build::LowLatency => Vec::new(),
            Build::HighClock => [&one[..], &both].concat(),
            Build::BankedHighClock => [&many[..], &both].concat(),
        };
        for (name, value, needed, rule) in rules {
            if value != needed {
                return refuse(name, value, rule);
            }
        }
        Ok(self)
    }
}

impl Design for Parameters {
    fn width(&self, symbol: Symbol) -> usize {
        match symbol {
            Symbol::Ports => self.ports,
            Symbol::Banks => self.banks,
            Symbol::Effects => self.effects(),
            Symbol::WordIndex => index_bits(self.words),
            Symbol::BankIndex => index_bits(self.banks),
            Symbol::RowIndex => index_bits(self.rows()),
            Symbol::Tag => self.tag_bits,
            Symbol::QueueIndex => index_bits(self.queue_depth),
            Symbol::QueueCount => index_bits(self.queue_depth + 1),
            // in a fabric, whether it is that of a suspended wait goes with it
            Symbol::Outcome => Status::BITS + 1 + self.tag_bits + self.is_banked() as usize,
            Symbol::Entries => self.entries(),
            Symbol::EntryIndex => index_bits(self.entries()),
            Symbol::Time => self.clock().sign() + 1,
            other => unreachable!("{other:?} is a matter of clusters"),
        }
    }

    fn list(&self) -> Vec<(&'static str, String)> {
        let Self { build, ports, banks, words, tag_bits, number_bits, queue_depth, waiters, .. } = *self;
        let Self { counters, checked, wake_mask, whole_groups, .. } = *self;
        let numbers = [
            ("ports", ports),
            ("banks", banks),
            ("words", words),
            ("tag-bits", tag_bits),
            ("number-bits", number_bits),
            ("queue-depth", queue_depth),
            ("waiters", waiters),
        ];
        let clock = [("clock-ns", self.period_text())];
        let switches = [("counters", counters), ("checked", checked)].map(|(name, value)| (name, value.to_string()));
        let numbers = numbers.into_iter().map(|(name, value)| (name, value.to_string()));
        let special = (build != Build::default()).then(|| ("build", build.name().to_owned()));
        let masked = wake_mask.then(|| ("wake-mask", "true".to_owned()));
        let split = (!whole_groups).then(|| ("whole-groups", "false".to_owned()));
        special.into_iter().chain(numbers).chain(clock).chain(switches).chain(masked).chain(split).collect()
    }

    fn has_few_levels(&self) -> bool {
        self.build == Build::HighClock
    }

    /// Base name of files and modules: `p4_b8_w512_t8_q8_n32_c10`, with suffixes for further options.
    fn label(&self) -> String {
        let Self { build, ports, banks, words, tag_bits, number_bits, queue_depth, waiters, .. } = *self;
        let Self { counters, checked, .. } = *self;
        let number = if number_bits > 0 { format!("u{number_bits}") } else { String::new() };
        let counted = if counters { "" } else { "_uncounted" };
        let special = match build {
            Build::LowLatency => "",
            Build::HighClock => "_high_clock",
            Build::BankedHighClock => "_banked_high_clock",
        };
        let checks = if checked { "_checked" } else { "" };
        let masked = if self.wake_mask { "m" } else { "" };
        let clock = self.period_text().replace('.', "p");
        let split = if self.whole_groups { "" } else { "_split" };
        format!(
            "p{ports}_b{banks}_w{words}_t{tag_bits}{number}_q{queue_depth}_n{waiters}{masked}_c{clock}{counted}{split}{checks}{special}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wait is never over too early, and too late by a cycle and a part in a thousand at most.
    #[test]
    fn limits_last_as_long_as_they_say() {
        for (clock_ns, clock_ps) in [(1, 1), (1, 999), (3, 333), (6, 667), (10, 0), (83, 333), (999, 999)] {
            let parameters =
                Parameters { clock_ns, clock_ps, ..Parameters::default() }.check().expect("it can be built");
            let period_ps = (clock_ns * 1000 + clock_ps) as u64;
            for limit in [1, 2, 7, 100, 1000, 12_345, u32::MAX - 1] {
                let (lasts, limit_ps) = (parameters.limit_cycles(limit) * period_ps, u64::from(limit) * 1000);
                assert!(lasts >= limit_ps, "{limit} ns at {}: {lasts} ps", parameters.period_text());
                assert!(
                    lasts <= limit_ps + limit_ps / 1000 + period_ps,
                    "{limit} ns at {}: {lasts} ps",
                    parameters.period_text()
                );
            }
        }
        let label = Parameters { clock_ns: 6, clock_ps: 600, ..Parameters::default() }.label();
        assert!(label.contains("_c6p6"), "{label}");
    }

    #[test]
    fn impossible_parameters_are_refused_by_name() {
        let refused = |change: fn(&mut Parameters)| {
            let mut parameters = Parameters::default();
            change(&mut parameters);
            parameters.check().expect_err("cannot be built").to_string()
        };
        assert_eq!(refused(|p| p.ports = 9), "ports = 9 cannot be built: it must be from 1 to 8");
        assert!(refused(|p| p.banks = 3).starts_with("banks = 3"));
        assert!(refused(|p| (p.banks, p.words) = (32, 64)).starts_with("words = 64"));
        assert!(refused(|p| p.words = 500).starts_with("words = 500"));
        assert!(refused(|p| (p.banks, p.words) = (1, 8)).starts_with("words = 8"));
        assert!(refused(|p| p.tag_bits = 0).starts_with("tag-bits = 0"));
        assert!(refused(|p| p.number_bits = 8).starts_with("number-bits = 8"));
        assert!(refused(|p| p.queue_depth = 0).starts_with("queue-depth = 0"));
        assert!(refused(|p| p.waiters = 65).starts_with("waiters = 65"));
        assert!(refused(|p| p.clock_ns = 0).starts_with("clock-ns = 0"));
        assert!(refused(|p| (p.clock_ns, p.clock_ps) = (0, 999)).starts_with("clock-ns = 0"));
        assert!(refused(|p| (p.clock_ns, p.clock_ps) = (1000, 1)).starts_with("clock-ns = 1000"));
        assert!(refused(|p| p.clock_ps = 1000).starts_with("clock-ns = 10"));
        let masked = Parameters { wake_mask: true, counters: false, ..Parameters::default() };
        assert_eq!(masked.check(), Ok(masked));
        let refused_mask = |change: fn(&mut Parameters)| {
            let mut parameters = masked;
            change(&mut parameters);
            parameters.check().expect_err("cannot be built").to_string()
        };
        assert!(refused_mask(|p| p.counters = true).starts_with("counters = 1"));
        assert!(refused_mask(|p| p.waiters = 0).starts_with("waiters = 0"));
        assert!(refused_mask(|p| p.waiters = 12).starts_with("waiters = 12"));
        assert!(refused_mask(|p| p.number_bits = 6).starts_with("waiters = 32"), "8 entries, 4 threads");
        assert!(refused_mask(|p| p.build = Build::BankedHighClock).starts_with("wake-mask = 1"));
        assert!(Parameters::default().check().is_ok());
        assert!(Parameters::high_clock(512).check().is_ok());
        let banked = Parameters { waiters: 64, ..Parameters::banked_high_clock(8, 8) };
        assert!(banked.check().is_ok());
        assert_eq!((banked.effects(), banked.entries()), (8, 8));
        let changes = [
            |p: &mut Parameters| p.banks = 16,
            |p: &mut Parameters| p.queue_depth = 8,
            |p: &mut Parameters| p.counters = true,
            |p: &mut Parameters| p.checked = true,
            |p: &mut Parameters| p.ports = 2,
            |p: &mut Parameters| p.waiters = 8,
        ];
        let builds = [(Parameters::high_clock(512), 6), (Parameters::banked_high_clock(1, 1), 4)];
        for (plain, few) in builds {
            assert!(plain.check().is_ok());
            for change in &changes[..few] {
                let mut parameters = plain;
                change(&mut parameters);
                let refused = parameters.check().expect_err("cannot be built").to_string();
                assert!(refused.contains("high-clock build"), "{refused}");
            }
        }
    }

    #[test]
    fn widths_hold_their_values() {
        let parameters =
            Parameters { ports: 1, banks: 4, words: 16, tag_bits: 3, queue_depth: 8, ..Parameters::default() };
        assert_eq!(parameters.width(Symbol::BankIndex), 2);
        assert_eq!(parameters.width(Symbol::RowIndex), 2);
        assert_eq!(parameters.width(Symbol::WordIndex), 4);
        assert_eq!(parameters.width(Symbol::QueueIndex), 3);
        assert_eq!(parameters.width(Symbol::QueueCount), 4, "it counts to 8");
    }
}
