//! Pins of a unit behind a bus, with the names that the bus's integrators use.
//!
//! ```text
//!   one port          s_axil_awaddr_0  →  s_axil_awaddr     irq_0  →  irq
//!   several           s_axil_awaddr_1  →  s1_axil_awaddr    irq_1
//! ```

use crate::verilog::Export;
use txbar_rtl::bus::parameters::Bus;

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
    /// The same with the pins of a bus called as usual, of a unit with this many ports.
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
