//! What users of other simulators look for and do not find here, with what to use instead.

/// Values of a key with a list of choices, under the usual names.
const VALUES: &[(&[&str], &str, &str)] = &[
    (
        &["codel", "fq_codel", "fqcodel", "pie", "red", "sfq", "priority", "cake"],
        "this queue discipline is not supported",
        "use drop-tail, with queue.limit",
    ),
    (
        &["dsr", "olsr", "tora", "aomdv", "batman", "babel", "rpl", "hwmp", "gpsr", "zrp"],
        "this routing protocol is not supported",
        "use \"aodv\", \"dsdv\" or \"static\"",
    ),
    (
        &[
            "bbr",
            "hybla",
            "illinois",
            "scalable",
            "htcp",
            "yeah",
            "dctcp",
            "lp",
            "highspeed",
            "fack",
            "ledbat",
            "newjersey",
        ],
        "this congestion control is not supported",
        "use one of the list, or write a controller of your own",
    ),
    (
        &["rayleigh", "rician", "ricean", "nakagami", "jakes", "cost231", "hata", "okumura"],
        "this propagation model is not supported",
        "use \"shadowing\", or a frame error model of [radio.errors]",
    ),
    (
        &["gauss_markov", "manhattan", "rpgm", "random_walk", "random_direction", "sumo", "freeway"],
        "this movement model is not supported",
        "write its movements with BonnMotion or SUMO, and read them: kind = \"bonnmotion\" or \"setdest\"",
    ),
    (
        &["pareto", "telnet", "http", "web", "poisson", "exponential", "trace"],
        "this application is not supported",
        "use app = \"on_off\", or an application of your own",
    ),
    (
        &["80211a", "80211g", "80211n", "80211ac", "802.11a", "802.11g", "802.11n", "802.11ac", "802.15.4", "edca"],
        "this radio standard is not supported",
        "rates are those of 802.11b: 1, 2, 5.5 and 11 Mb/s",
    ),
];

/// Keys and tables, by their last names.
const KEYS: &[(&[&str], &str, &str)] = &[
    (
        &["aqm", "discipline", "codel", "red", "ecn"],
        "queue disciplines other than drop-tail are not supported",
        "use queue.limit",
    ),
    (&["channel", "channels"], "several channels are not supported", "all nodes share one channel"),
    (
        &["aifs", "aifsn", "txop", "edca", "access_category", "fragmentation_threshold", "aggregation", "power_save"],
        "EDCA, fragmentation, aggregation and power save are not supported",
        "a MAC is that of 802.11 DCF: see [mac]",
    ),
    (
        &["rate_adaptation", "rate_control", "arf", "aarf", "minstrel"],
        "rate adaptation is not supported",
        "set mac.data_rate, for each node in [node.mac]",
    ),
    (
        &["fading", "rayleigh", "nakagami"],
        "fading is not supported",
        "use propagation = \"shadowing\", or [radio.errors]",
    ),
    (
        &["energy", "battery", "energy_model"],
        "energy is not counted",
        "switch a radio off with radio_off of a [[node]]",
    ),
];

/// Message and hint for a value that is none of a key's choices.
pub(crate) fn value(word: &str) -> Option<(&'static str, &'static str)> {
    find(VALUES, word)
}

/// Message and hint for a key that no table has under this name.
pub(crate) fn key(name: &str) -> Option<(&'static str, &'static str)> {
    find(KEYS, name)
}

fn find(list: &[(&[&str], &'static str, &'static str)], word: &str) -> Option<(&'static str, &'static str)> {
    let word = word.to_lowercase().replace('-', "_");
    list.iter().find(|(words, ..)| words.contains(&word.as_str())).map(|&(_, what, hint)| (what, hint))
}
