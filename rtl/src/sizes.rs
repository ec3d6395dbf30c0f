//! Sizes of units for which the simulation is compiled separately: see [`txbar_hdl::Counts`].

/// A unit outside of clusters, without a warp access port, checked mode and wake mask.
pub(crate) struct Usual;

/// A unit of this many ports and one bank; with several ports, phases may end within groups.
pub(crate) struct Grouped<const PORTS: usize>;

/// As `Grouped`, for a usual unit with suspended waits.
pub(crate) struct Waiting<const PORTS: usize>;
