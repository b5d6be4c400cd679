//! Tables of the layers. Their structs are the layers' own configs; here are defaults by profile, and checks.

pub(crate) mod edca;
mod link;
mod mac;
pub(crate) mod queue;
pub(crate) mod radio;
mod routing;
pub(crate) mod standard;
mod standard_names;
mod stream;
mod tcp;
