//! Tables of protocols that span layers: the keys of one table configure exchange, queue, routers and transport.

mod atp;
mod estimators;
pub(crate) mod explicit;
pub(crate) mod hop_release;
mod limits;
mod muzha;
mod rcp;
pub(crate) mod semi_tcp;
pub(crate) mod split_tcp;
mod wcp;
mod xcp;
