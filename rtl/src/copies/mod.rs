//! Copy engines: copies into and out of the shared memory of a CTA, and their completion on barriers.
//!
//! | file | block |
//! | --- | --- |
//! | [`copier`], [`tracker`] | cp.async and bulk copies; order of the copies of a thread |
//! | [`tensor`] | tensor copies |
//! | [`sender`], [`outlet`], [`ledger`] | bulk copies out of shared memory: descriptors, data, groups |
//! | [`post`] | st.async and red.async |
//! | [`completer`] | completion of landed bytes on barriers |
//! | [`junction`], [`reducer`] | arbiter of the sources of beats; reductions in shared memory |
//! | [`reduction`], [`messages`] | codes of reductions; messages between blocks and between CTAs |
//!
//! Data enters the banks through the unit's DMA port, the [door](crate::low_latency::inlets::door), 32 bytes a cycle.

pub mod channels;
pub mod completer;
pub mod copier;
pub mod junction;
pub mod ledger;
pub mod messages;
pub mod outlet;
pub mod post;
pub mod reducer;
pub mod reduction;
pub mod sender;
pub mod tensor;
pub mod tracker;
