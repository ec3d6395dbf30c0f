//! Pins of a unit behind a bus as integrators of that bus call them.
//!
//! ```text
//!   one port          s_axil_awaddr_0  →  s_axil_awaddr     irq_0  →  irq
//!   several           s_axil_awaddr_1  →  s1_axil_awaddr    irq_1
//!   with `aresetn`    rst              →  aresetn, active low
//! ```

use crate::verilog::Export;
use txbar_rtl::bus::parameters::Bus;

/// Name of the reset that is active low.
pub const ARESETN: &str = "aresetn";

/// The name of a pin outside, if it is another.
fn outside(name: &str, ports: usize) -> Option<String> {
    let (pin, port) = name.rsplit_once('_')?;
    let port: usize = port.parse().ok()?;
    if pin == "irq" {
        return (ports == 1).then(|| pin.to_owned());
    }
    let rest = pin.strip_prefix("s_")?;
    let is_bus = Bus::ALL.iter().any(|bus| rest.strip_prefix(bus.pins()).is_some_and(|rest| rest.starts_with('_')));
    is_bus.then(|| if ports == 1 { pin.to_owned() } else { format!("s{port}_{rest}") })
}

impl Export {
    /// The same with the pins of a bus called as usual, of a unit with so many ports.
    pub(crate) fn with_bus_pins(self, ports: usize) -> Self {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let known: Vec<String> = self.ports.iter().map(|port| port.name.clone()).collect();
        let new = |name: &str| outside(name, ports).filter(|_| known.iter().any(|port| port == name));
        let mut text = String::with_capacity(self.text.len());
        let mut rest = self.text.as_str();
        while !rest.is_empty() {
            let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let (name, behind) = rest.split_at(word);
            let gap = behind.find(is_word).unwrap_or(behind.len());
            let called = new(name).unwrap_or_else(|| name.to_owned());
            // a comment behind it stays where it was
            let (before, comment) = behind[..gap].split_at(behind[..gap].find("//").unwrap_or(gap));
            let room = if comment.is_empty() { 0 } else { name.len() - called.len() };
            text += &format!("{called}{before}{:room$}{comment}", "");
            rest = &behind[gap..];
        }
        let renamed = |port: crate::verilog::ExportedPort| match outside(&port.name, ports) {
            Some(name) => crate::verilog::ExportedPort { name, ..port },
            None => port,
        };
        Self { text, ports: self.ports.into_iter().map(renamed).collect(), ..self }
    }

    /// The same with a reset `aresetn` that is active low.
    ///
    /// # Panics
    /// The design has no reset.
    pub fn with_aresetn(self) -> Self {
        const MEANING: &str = "synchronous reset, active low";
        let begin = self.text.find(&format!("\nmodule {} (", self.top)).expect("the top is in its file");
        let (before, top) = self.text.split_at(begin);
        let line = top.lines().find(|line| line.trim_start().starts_with("input  wire rst,")).expect("it has a reset");
        let (declaration, _) = line.split_once("//").expect("it has a comment");
        let own = format!("{}// {MEANING}", declaration.replace("rst,    ", "aresetn,"));
        let top = top.replacen(line, &own, 1).replacen("\n);\n", "\n);\n\n  wire rst = !aresetn;\n", 1);
        let mut ports = self.ports;
        for port in ports.iter_mut().filter(|port| port.name == "rst") {
            (port.name, port.description) = (ARESETN.to_owned(), MEANING.to_owned());
        }
        let before = before.replace("rst is synchronous, active high,", "aresetn is synchronous, active low,");
        Self { text: before + &top, ports, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pins_are_called_as_usual() {
        let one = |name| outside(name, 1);
        let two = |name| outside(name, 2);
        assert_eq!(one("s_axil_awaddr_0").as_deref(), Some("s_axil_awaddr"));
        assert_eq!(two("s_axil_awaddr_1").as_deref(), Some("s1_axil_awaddr"));
        assert_eq!((one("irq_0").as_deref(), two("irq_1")), (Some("irq"), None));
        assert_eq!((one("s_other_x_0"), one("clk"), one("req_op_0")), (None, None, None));
    }
}
