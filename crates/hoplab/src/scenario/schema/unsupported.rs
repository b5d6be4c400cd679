//! Features of other simulators that hoplab does not support, each with what to use instead.

use crate::phy::Standard;
use crate::scenario::syntax::problem::quoted;

/// Values under their usual names, with the hint.
const VALUES: &[(&[&str], &str)] = &[
    (&["fq", "sfq", "drr", "cake", "fqpie", "fq_pie"], "use \"fq_codel\""),
    (&["priority", "prio"], "use \"drop_tail\": routing messages precede data in every queue"),
    (
        &["fifo", "pfifo", "bfifo", "pfifo_fast", "tail_drop", "taildrop", "noqueue"],
        "use \"drop_tail\", with queue.limit or queue.limit_bytes",
    ),
    (
        &["tora", "aomdv", "batman", "babel", "rpl", "gpsr", "zrp", "olsrv2"],
        "use \"aodv\", \"dsdv\", \"dsr\", \"olsr\", \"hwmp\" or \"static\"",
    ),
    (
        &["hybla", "illinois", "scalable", "htcp", "yeah", "lp", "highspeed", "fack", "newjersey"],
        "use a transport of the list, or write a controller",
    ),
    (&["quic", "http3", "quinn"], "use \"quinn_cubic\", \"quinn_new_reno\" or \"quinn_bbr\""),
    (
        &["rayleigh", "rician", "ricean", "nakagami"],
        "set radio.fading to \"rayleigh\", \"rician\" or \"nakagami\", with any propagation",
    ),
    (&["jakes", "cost231", "hata", "okumura"], "use \"shadowing\", or a frame error model of [radio.errors]"),
    (
        &["gauss_markov", "manhattan", "rpgm", "random_walk", "random_direction", "sumo", "freeway"],
        "generate movements with BonnMotion or SUMO, and import them with kind = \"bonnmotion\" or \"setdest\"",
    ),
    (
        &["pareto", "telnet", "http", "web", "poisson", "exponential", "trace"],
        "use app = \"on_off\", or write an application",
    ),
    (&["ac_bk", "bk", "cs1"], "use \"background\""),
    (&["ac_be", "be"], "use \"best_effort\""),
    (&["ac_vi", "vi", "af41"], "use \"video\""),
    (&["ac_vo", "vo", "ef"], "use \"voice\""),
    (&["ht"], "use \"11n\", in radio.standard"),
];

/// Names of other radios.
const RADIOS: &[&str] = &["11ac", "11ax", "11p", "80211ac", "802.11ac", "802.11p", "802.15.4"];

/// Keys and tables by their last names: what is not supported, and the hint.
const KEYS: &[(&[&str], &str, &str)] = &[
    (&["aqm", "discipline", "qdisc", "codel", "red"], "a key of this name", "set kind in [queue]"),
    (&["channel", "channels"], "a key of this name", "set channel in [radio], or radios of a [[node]]"),
    (
        &["adjacent_rejection_db", "adjacent_channel_rejection", "rejection_db"],
        "energy that leaks into adjacent channels",
        "remove the key: radios on different channels do not sense each other",
    ),
    (&["fragmentation_threshold", "power_save"], "fragmentation and power save", "remove the key"),
    (
        &["access_category", "dscp", "tos", "qos_class"],
        "a key of this name",
        "set priority of a [[flow]] or [[workload]], with mac.qos = true",
    ),
    (&["aggregation"], "a key of this name", "set mac.ampdu and mac.amsdu"),
    (&["aifs", "txop"], "a key of this name", "set mac.qos, mac.aifsn, mac.cw_min, mac.cw_max and mac.txop_limit"),
    (&["rate_adaptation", "arf", "aarf", "minstrel"], "a key of this name", "set mac.rate_control"),
    (&["rayleigh", "rician", "nakagami"], "a key of this name", "set radio.fading"),
    (&["energy", "battery", "energy_model"], "energy models", "disable a radio with radio_off of a [[node]]"),
];

/// The hint for a value that is none of a key's choices.
pub(crate) fn value(word: &str) -> Option<String> {
    let word = normal(word);
    let listed = VALUES.iter().find(|(words, _)| words.contains(&word.as_str())).map(|&(_, hint)| hint.to_owned());
    listed.or_else(|| radio(&word))
}

/// The hint for a standard under its usual name, or for another radio.
fn radio(word: &str) -> Option<String> {
    let short = word.strip_prefix("802.").or_else(|| word.strip_prefix("802"));
    if let Some(standard) = short.and_then(Standard::named) {
        return Some(format!("use \"{}\", in radio.standard", standard.name));
    }
    let names = Standard::ALL.iter().filter(|standard| standard.is_ofdm()).map(|standard| standard.name);
    let hint = || format!("use {}, in radio.standard; 11p is \"11a\" in 10 MHz", quoted(names));
    RADIOS.contains(&word).then(hint)
}

/// What is not supported, and the hint, for a key that no table has under this name.
pub(crate) fn key(name: &str) -> Option<(&'static str, &'static str)> {
    let name = normal(name);
    KEYS.iter().find(|(names, ..)| names.contains(&name.as_str())).map(|&(_, what, hint)| (what, hint))
}

fn normal(word: &str) -> String {
    word.to_lowercase().replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn radios_have_the_hint_of_their_standard() {
        for word in ["802.11g", "80211g", "802.11G"] {
            assert_eq!(value(word).as_deref(), Some("use \"11g\", in radio.standard"), "{word}");
        }
        let other = "use \"11a\", \"11g\" or \"11n\", in radio.standard; 11p is \"11a\" in 10 MHz";
        assert_eq!(value("802.11p").as_deref(), Some(other));
        assert_eq!(value("802.3"), None);
    }
}
