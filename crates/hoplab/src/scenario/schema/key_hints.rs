//! Hints for unknown tables: the table of hoplab that has the expected keys.

use crate::net::routing::RoutingTables;
use crate::scenario::syntax::problem::unknown_table;

/// Hint for a list of tables where one table is expected.
pub(crate) fn list(key: &str) -> Option<&'static str> {
    (key == "link").then_some("for a wired link use [[wire]] with between, rate and delay")
}

/// Message and hint for a key or table that another one replaces.
pub(crate) fn key(key: &str) -> Option<(String, String)> {
    if RoutingTables::NAMES.contains(&key) {
        return Some((unknown_table(key), format!("write [routing.{key}]")));
    }
    let (message, hint) = match key {
        "tcp_ap" => (unknown_table(key), "write [tcp.congestion.tcp_ap]"),
        "sweep" => ("[sweep]: not supported in a single run".to_owned(), "execute the sweep with hoplab sweep FILE"),
        "xcpw" => (unknown_table(key), "write [xcp_winf]"),
        "rcpw" => (unknown_table(key), "write [rcp_winf]"),
        _ => return None,
    };
    Some((message, hint.to_owned()))
}
