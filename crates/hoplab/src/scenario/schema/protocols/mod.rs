//! Tables of protocols that span layers: one table deals out its keys to exchange, queue, routers and transport.

mod estimators;
pub(crate) mod explicit;
mod limits;
mod muzha;
mod rcp;
pub(crate) mod semi_tcp;
pub(crate) mod split_tcp;
mod xcp;
