//! Position of a thread in the grid and in time: the values of special registers.

use crate::program::special::Special;
use crate::program::types;

/// Where a thread is in its grid, and what that runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Whereabouts {
    /// `%tid`.
    pub thread: [u32; 3],
    /// `%ntid`: threads of a CTA.
    pub block_dim: [u32; 3],
    /// `%ctaid`.
    pub block: [u32; 3],
    /// `%nctaid`: CTAs of the grid.
    pub grid_dim: [u32; 3],
    /// `%cluster_ctaid`.
    pub block_in_cluster: [u32; 3],
    /// `%cluster_nctaid`: CTAs of a cluster.
    pub cluster_dim: [u32; 3],
    /// `%cluster_ctarank`.
    pub rank: u32,
    /// `%cluster_nctarank`.
    pub ranks: u32,
    /// `%clusterid`.
    pub cluster: [u32; 3],
    /// `%nclusterid`: clusters of the grid.
    pub clusters: [u32; 3],
    /// `%is_explicit_cluster`: the launch names a size of clusters.
    pub explicit_cluster: bool,
    /// `%laneid`, 0 to 31.
    pub lane: u32,
    /// `%warpid`.
    pub warp: u32,
    /// `%nwarpid`.
    pub warps: u32,
    /// `%smid`.
    pub sm: u32,
    /// `%nsmid`.
    pub sms: u32,
    /// `%gridid`.
    pub grid: u64,
    /// `%dynamic_smem_size`, in bytes.
    pub dynamic_shared: u32,
    /// `%total_smem_size` and `%aggr_smem_size`, in bytes.
    pub total_shared: u32,
}

/// When an instruction is executed, and with whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Now {
    /// `%clock64`: cycles of the hardware.
    pub cycle: u64,
    /// `%globaltimer`, in nanoseconds.
    pub nanoseconds: u64,
    /// Lanes of the warp that execute this instruction together: `activemask`.
    pub active: u32,
}

impl Special {
    /// What it says to a thread, of which this many bits are taken.
    pub(crate) fn value(self, bits: u8, place: &Whereabouts, now: Now) -> u64 {
        let component = |vector: &[u32; 3], axis: u8| u64::from(vector.get(usize::from(axis)).copied().unwrap_or(0));
        let lane = 1u32.wrapping_shl(place.lane);
        let value = match self {
            Special::Tid(axis) => component(&place.thread, axis),
            Special::Ntid(axis) => component(&place.block_dim, axis),
            Special::Ctaid(axis) => component(&place.block, axis),
            Special::Nctaid(axis) => component(&place.grid_dim, axis),
            Special::ClusterId(axis) => component(&place.cluster, axis),
            Special::NclusterId(axis) => component(&place.clusters, axis),
            Special::ClusterCtaid(axis) => component(&place.block_in_cluster, axis),
            Special::ClusterNctaid(axis) => component(&place.cluster_dim, axis),
            Special::ClusterCtarank => u64::from(place.rank),
            Special::ClusterNctarank => u64::from(place.ranks),
            Special::IsExplicitCluster => u64::from(place.explicit_cluster),
            Special::LaneId => u64::from(place.lane),
            Special::WarpId => u64::from(place.warp),
            Special::NwarpId => u64::from(place.warps),
            Special::SmId => u64::from(place.sm),
            Special::NsmId => u64::from(place.sms),
            Special::GridId => place.grid,
            Special::LanemaskEq => u64::from(lane),
            Special::LanemaskLt => u64::from(lane - 1), // a lane's bit is at least 1
            Special::LanemaskLe => u64::from(lane | (lane - 1)),
            Special::LanemaskGe => u64::from(!(lane - 1)),
            Special::LanemaskGt => u64::from(!(lane | (lane - 1))),
            Special::Clock | Special::Clock64 => now.cycle,
            Special::ClockHi => now.cycle >> 32,
            Special::GlobalTimer | Special::GlobalTimerLo => now.nanoseconds,
            Special::GlobalTimerHi => now.nanoseconds >> 32,
            Special::DynamicSharedSize => u64::from(place.dynamic_shared),
            Special::TotalSharedSize | Special::AggregateSharedSize => u64::from(place.total_shared),
            Special::ActiveMask => u64::from(now.active),
        };
        value & types::mask(self.ty().bits().min(u32::from(bits)))
    }
}
