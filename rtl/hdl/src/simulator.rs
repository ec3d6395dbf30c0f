//! A simulator for any design: derives the order of its processes at construction.

use super::{Call, Names, Part, Widths, verilog};
use std::ops::{Deref, DerefMut};

/// A design that is simulated. Its signals are those of the design: drive inputs, [`settle`](Simulator::settle), look at outputs, `tick`.
///
/// Each process is looked up whenever it runs: for small designs and tests. The order of large designs is generated as Rust code by [`Derived`](crate::order::Derived), which is many times as fast.
pub struct Simulator<D> {
    design: Box<D>,
    calls: Vec<Call>,
}

impl<D: Part> Simulator<D> {
    /// A design that is elaborated with these widths and whose kernels use these names, as [`verilog::print`] takes them.
    ///
    /// # Errors
    /// There is a combinational loop; the names of its signals, and of those that depend on it.
    ///
    /// # Panics
    /// As [`verilog::print`].
    pub fn new(design: D, widths: &dyn Widths, names: &Names) -> Result<Self, String> {
        let design = Box::new(design); // calls are known by where their blocks are, which does not change from now on
        let calls = verilog::order_of(&*design, widths, names)?;
        Ok(Self { design, calls })
    }

    /// Runs every process, in an order of the data. One that drives some signals early and others late, as a process full of connections, runs
    /// several times.
    ///
    /// # Panics
    /// A block in a `Vec` or a `Box` has been replaced.
    pub fn settle(&mut self) {
        for call in &self.calls {
            self.design.look_up();
            assert!(self.design.call(*call), "{} is not where it was", call.name());
        }
        self.design.look_up();
    }
}

impl<D> Deref for Simulator<D> {
    type Target = D;
    fn deref(&self) -> &D {
        &self.design
    }
}

impl<D> DerefMut for Simulator<D> {
    fn deref_mut(&mut self) -> &mut D {
        &mut self.design
    }
}
