//! Hints for tables that users expect under another name: the table that has their keys here.

/// Message and hint for a key or table that another one replaces.
pub(crate) fn key(key: &str) -> Option<(String, &'static str)> {
    match key {
        "aodv" => Some(("[aodv] is not a table of a scenario".to_owned(), "constants of AODV are keys of [routing]")),
        "tcp_ap" => Some((
            "[tcp_ap] is not a table of a scenario".to_owned(),
            "parameters of TCP-AP are keys of [tcp.congestion.tcp_ap]",
        )),
        "dsdv" => Some(("[dsdv] is not a table of a scenario".to_owned(), "constants of DSDV are keys of [routing]")),
        "sweep" => Some(("[sweep] is not a table of a single run".to_owned(), "hoplab sweep FILE runs all its points")),
        "xcpw" => Some(("[xcpw] is not a table of a scenario".to_owned(), "write [xcp_winf]")),
        "rcpw" => Some(("[rcpw] is not a table of a scenario".to_owned(), "write [rcp_winf]")),
        _ => None,
    }
}
