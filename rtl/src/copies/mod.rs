//! What copies data into and out of the shared memory of a CTA, and completes it on barriers.
//!
//! | file | block |
//! | --- | --- |
//! | [`copier`], [`tracker`] | cp.async and bulk copies; order of the copies of a thread |
//! | [`tensor`] | tensor copies |
//! | [`sender`], [`outlet`], [`ledger`] | bulk copies out of shared memory: descriptors, data, groups |
//! | [`post`] | st.async and red.async |
//! | [`completer`] | the completion of what has landed on barriers |
//! | [`junction`], [`reducer`] | beats of several sources; what those that are reductions do to shared memory |
//! | [`reduction`], [`messages`] | codes of reductions; what travels between blocks and between CTAs |
//!
//! The way into the banks is the unit's: its [door](crate::low_latency::inlets::door) takes 32 bytes a cycle.

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
