//! Hints for unknown tables: the table of hoplab that has the expected keys.

use crate::net::routing::RoutingTables;
use crate::scenario::schema::fields::squashed;
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

/// Keys and tables as other simulators and Linux name them: table (empty for the top of a file), names, what to write.
const SYNONYMS: &[(&str, &[&str], &str)] = &[
    ("", &["host", "hosts", "server", "servers"], "[[node]] of the kind host, with a name"),
    (
        "",
        &["links", "p2p", "pointtopoint", "ethernet", "internet", "wired", "cable", "backhaul"],
        "[[wire]] with between, rate and delay",
    ),
    ("wire", &["datarate", "bandwidth", "capacity", "bw", "speed"], "rate"),
    ("wire", &["latency", "propagationdelay", "propdelay", "lag"], "delay"),
    ("wire", &["endpoints", "nodes", "ends", "hosts"], "between"),
    ("wire", &["lossrate", "lossratio", "plr", "per", "errorrate"], "loss"),
    ("wire", &["qlen", "queuelimit", "queuesize", "buffer", "buffersize"], "queue.limit"),
    ("queue", &["size", "length", "maxsize", "maxlen", "maxpackets", "packets", "qlen", "buffer"], "limit"),
    ("queue", &["type", "algorithm", "discipline", "qdisc", "aqm"], "kind"),
    ("flow", &["size", "filesize", "maxbytes", "transfer", "transfersize"], "bytes"),
    ("flow", &["congestion", "congestioncontrol", "cc", "cca", "tcp", "agent", "variant"], "transport"),
    ("stream", &["cwnd", "iw", "initcwnd", "initialcwnd"], "initial_window"),
    ("stream", &["rcvbuf", "rmem", "tcprmem", "rwnd", "receivewindow"], "receive_buffer"),
    ("stream", &["delack", "delackcount", "delayedacks"], "delayed_ack"),
    ("stream", &["delacktimeout", "atomin"], "delayed_ack_timeout"),
    ("stream", &["rtomin"], "min_rto"),
    ("stream", &["hystart"], "slow_start"),
    ("stream", &["ecnmode", "tcpecn"], "ecn"),
];

/// What to write in place of a key that `table` does not have, for names of other simulators.
pub(crate) fn synonym(table: &str, name: &str) -> Option<&'static str> {
    let is_name = |part: &&str| part.parse::<u32>().is_err() && *part != "back";
    let table = table.split('.').rfind(is_name).unwrap_or_default();
    let name = squashed(name);
    SYNONYMS.iter().find(|(of, names, _)| *of == table && names.contains(&name.as_str())).map(|&(.., right)| right)
}
