//! Sizes of units for which the simulation is compiled once more: see [`txbar_hdl::Counts`].

/// A unit outside of clusters, without ports for warps that load and store, checked mode and wake mask.
pub(crate) struct Usual;

/// A unit of so many ports and one bank; with several ports, phases may end in groups.
pub(crate) struct Grouped<const PORTS: usize>;

/// The same, if it is usual and has suspended waits.
pub(crate) struct Waiting<const PORTS: usize>;
