//! Hints for tables that users expect under another name: the table that has their keys here.

use crate::net::routing::RoutingTables;

/// Message and hint for a key or table that another one replaces.
pub(crate) fn key(key: &str) -> Option<(String, String)> {
    if RoutingTables::NAMES.contains(&key) {
        return Some((not_a_table(key), format!("write [routing.{key}]")));
    }
    let (message, hint) = match key {
        "tcp_ap" => (not_a_table(key), "parameters of TCP-AP are keys of [tcp.congestion.tcp_ap]"),
        "sweep" => ("[sweep] is not a table of a single run".to_owned(), "hoplab sweep FILE runs all its points"),
        "xcpw" => (not_a_table(key), "write [xcp_winf]"),
        "rcpw" => (not_a_table(key), "write [rcp_winf]"),
        _ => return None,
    };
    Some((message, hint.to_owned()))
}

fn not_a_table(key: &str) -> String {
    format!("[{key}] is not a table of a scenario")
}
