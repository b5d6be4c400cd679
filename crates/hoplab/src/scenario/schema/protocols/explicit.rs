//! The tables of protocols with explicit feedback, read together: their flows share routers.

use crate::packet::explicit::ExplicitConfig;
use crate::scenario::schema::profile::Profile;
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::table::read;
use crate::scenario::syntax::tree::Node;

/// `[muzha]`, `[xcp]`, `[xcp_b]`, `[xcp_winf]`, `[rcp]`, `[rcp_winf]`, `[atp]` and `[wcp]`.
pub(crate) fn read_all(reader: &mut Reader<'_>, tree: &Node, profile: Profile) -> ExplicitConfig {
    ExplicitConfig {
        muzha: read(reader, tree, profile),
        xcp: read(reader, tree, profile),
        xcp_b: read(reader, tree, profile),
        xcp_winf: read(reader, tree, profile),
        rcp: read(reader, tree, profile),
        rcp_winf: read(reader, tree, profile),
        atp: read(reader, tree, profile),
        wcp: read(reader, tree, profile),
    }
}
