//! Special registers: names, and values for a thread.

use crate::ast::Type;

/// A special register. Those with a number have the components x, y, z (0, 1, 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // they are called what they are called in PTX
pub(crate) enum Special {
    Tid(u8),
    Ntid(u8),
    Ctaid(u8),
    Nctaid(u8),
    ClusterId(u8),
    NclusterId(u8),
    ClusterCtaid(u8),
    ClusterNctaid(u8),
    ClusterCtarank,
    ClusterNctarank,
    IsExplicitCluster,
    LaneId,
    WarpId,
    NwarpId,
    SmId,
    NsmId,
    GridId,
    LanemaskEq,
    LanemaskLe,
    LanemaskLt,
    LanemaskGe,
    LanemaskGt,
    Clock,
    ClockHi,
    Clock64,
    GlobalTimer,
    GlobalTimerLo,
    GlobalTimerHi,
    DynamicSharedSize,
    TotalSharedSize,
    AggregateSharedSize,
    /// What `activemask` gives: it has no name of its own.
    ActiveMask,
}

/// Names of those without components.
const PLAIN: [(&str, Special); 23] = [
    ("%cluster_ctarank", Special::ClusterCtarank),
    ("%cluster_nctarank", Special::ClusterNctarank),
    ("%is_explicit_cluster", Special::IsExplicitCluster),
    ("%laneid", Special::LaneId),
    ("%warpid", Special::WarpId),
    ("%nwarpid", Special::NwarpId),
    ("%smid", Special::SmId),
    ("%nsmid", Special::NsmId),
    ("%gridid", Special::GridId),
    ("%lanemask_eq", Special::LanemaskEq),
    ("%lanemask_le", Special::LanemaskLe),
    ("%lanemask_lt", Special::LanemaskLt),
    ("%lanemask_ge", Special::LanemaskGe),
    ("%lanemask_gt", Special::LanemaskGt),
    ("%clock", Special::Clock),
    ("%clock_hi", Special::ClockHi),
    ("%clock64", Special::Clock64),
    ("%globaltimer", Special::GlobalTimer),
    ("%globaltimer_lo", Special::GlobalTimerLo),
    ("%globaltimer_hi", Special::GlobalTimerHi),
    ("%dynamic_smem_size", Special::DynamicSharedSize),
    ("%total_smem_size", Special::TotalSharedSize),
    ("%aggr_smem_size", Special::AggregateSharedSize),
];

/// A kind of special register that is one for each axis.
type OnAxis = fn(u8) -> Special;

/// Names of those with components.
const AXES: [(&str, OnAxis); 8] = [
    ("%tid", Special::Tid),
    ("%ntid", Special::Ntid),
    ("%ctaid", Special::Ctaid),
    ("%nctaid", Special::Nctaid),
    ("%clusterid", Special::ClusterId),
    ("%nclusterid", Special::NclusterId),
    ("%cluster_ctaid", Special::ClusterCtaid),
    ("%cluster_nctaid", Special::ClusterNctaid),
];

/// Beginnings of names that PTX knows and txbar does not.
const UNKNOWN: [&str; 4] = ["%pm", "%envreg", "%reserved_smem_offset", "%current_graph_exec"];

impl Special {
    /// The special register of this name; `Err` for one that there is and that is not supported.
    pub(crate) fn read(name: &str) -> Option<Result<Special, ()>> {
        if let Some((_, special)) = PLAIN.iter().find(|row| row.0 == name) {
            return Some(Ok(*special));
        }
        let (stem, component) = name.split_once('.').unwrap_or((name, ""));
        if let Some((_, on)) = AXES.iter().find(|row| row.0 == stem) {
            return match component {
                "x" => Some(Ok(on(0))),
                "y" => Some(Ok(on(1))),
                "z" => Some(Ok(on(2))),
                _ => Some(Err(())),
            };
        }
        UNKNOWN.iter().any(|begin| name.starts_with(begin)).then_some(Err(()))
    }

    /// Every name, for advice.
    pub(crate) fn names() -> impl Iterator<Item = String> {
        let axes = AXES.iter().flat_map(|(name, _)| ["x", "y", "z"].map(|axis| format!("{name}.{axis}")));
        PLAIN.iter().map(|row| row.0.to_string()).chain(axes)
    }

    /// Type.
    pub(crate) fn ty(self) -> Type {
        match self {
            Special::Clock64 | Special::GlobalTimer | Special::GridId => Type::U64,
            Special::IsExplicitCluster => Type::Pred,
            _ => Type::U32,
        }
    }
}
