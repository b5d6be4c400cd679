//! Names that a later release brings: who writes one is told so, rather than that it is unknown.

use super::nearest::nearest;

/// Words to come, by the last part of their key.
const WORDS: &[(&str, &[&str])] = &[("app", &["adhoc_probe", "winf_probe"])];

/// What to say to who uses a key or table that is still to come, and what to do instead.
pub(super) fn key(key: &str) -> Option<(String, &'static str)> {
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

/// What to say to who names something that is still to come.
pub(super) fn value(key: &str, word: &str) -> Option<String> {
    let last = key.rsplit('.').next().unwrap_or(key);
    let is_later = WORDS.iter().any(|(name, words)| *name == last && words.contains(&word));
    is_later.then(|| not_yet(&format!("{key} = \"{word}\"")))
}

/// A word to come that is near to an unknown one.
pub(super) fn near(key: &str, word: &str) -> Option<String> {
    let last = key.rsplit('.').next().unwrap_or(key);
    let (_, words) = WORDS.iter().find(|(name, _)| *name == last)?;
    nearest(word, words.iter().copied()).map(|right| format!("\"{right}\" is not in this version yet"))
}

fn not_yet(what: &str) -> String {
    format!("{what} is not in this version yet")
}
