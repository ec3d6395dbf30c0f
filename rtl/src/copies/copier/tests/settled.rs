//! Looks at every value: settling again changes nothing, and each fits its wires.

use super::super::Copier;
use crate::cluster::parameters::ClusterParameters;
use crate::hdl::settled;

pub(super) struct Check {
    parameters: ClusterParameters,
}

impl Check {
    pub(super) fn new([ctas, copiers, outstanding, bursts]: [usize; 4]) -> Self {
        Self { parameters: ClusterParameters { ctas, copiers, outstanding, bursts, ..ClusterParameters::default() } }
    }

    pub(super) fn check(&self, copier: &Copier) {
        let mut again = copier.clone();
        again.settle();
        settled::check(copier, &again, &self.parameters, "copier");
    }
}
