//! A wave file that is written while a design runs. An error in the middle is kept, and told at the end.

use std::io::{self, Write};
use txbar_rtl::hdl::Part;
use txbar_rtl::parameters::Design;
use txbar_waves::write::Waves;

/// Waves of a run.
pub struct Film<'a> {
    waves: Waves<&'a mut dyn Write>,
    cycles: u64,
    error: Option<io::Error>,
}

impl<'a> Film<'a> {
    /// Begins the waves of a design.
    pub fn new(output: &'a mut dyn Write, design: &impl Part, parameters: &dyn Design) -> io::Result<Self> {
        Ok(Self { waves: Waves::new(output, design, parameters)?, cycles: 0, error: None })
    }

    /// The design has settled in a cycle.
    pub fn sample(&mut self, design: &impl Part, cycle: u64) {
        if self.error.is_none() {
            self.error = self.waves.sample(design, cycle).err();
        }
        self.cycles = cycle + 1;
    }

    /// Ends the waves.
    pub fn finish(self) -> io::Result<()> {
        match self.error {
            Some(error) => Err(error),
            None => self.waves.finish(self.cycles),
        }
    }
}
