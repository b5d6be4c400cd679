//! Random scenarios of every kind, for properties that hold in all of them.

use hoplab::kernel::{Purpose, RandomStreams};

/// A random scenario; the number replays it.
pub fn scenario(number: u64) -> String {
    let mut chance = RandomStreams::new(number).stream(Purpose::Traffic, 0);
    let mut pick = |choices: &[&str]| choices[chance.below(choices.len() as u32) as usize].to_string();
    let moves = number % 4 == 3;
    let kind = if moves { "random".to_owned() } else { pick(&["chain", "grid", "parallel", "spindle", "cross"]) };
    let size = match kind.as_str() {
        "grid" => format!("rows = {}\ncolumns = {}", pick(&["1", "2", "4"]), pick(&["2", "3", "5"])),
        "random" => format!(
            "nodes = {}\narea = [\"{} m\", \"{} m\"]",
            pick(&["6", "12", "20"]),
            pick(&["400", "800"]),
            pick(&["300", "700"])
        ),
        _ => format!("hops = {}", pick(&["2", "3", "4", "6", "9"])),
    };
    let spacing = match pick(&["100 m", "200 m", "249 m"]) {
        _ if moves => String::new(),
        spacing => format!("spacing = \"{spacing}\"\n"),
    };
    let mobility = if moves {
        format!(
            "[mobility]\nkind = \"{}\"\ninit = \"{}\"\nmax_speed = \"{} m/s\"\n",
            pick(&["still", "waypoint", "waypoint", "waypoint"]),
            pick(&["stationary", "topology"]),
            pick(&["20", "300"]),
        )
    } else {
        String::new()
    };
    let routing = format!(
        "protocol = \"{}\"\nlink_failure_feedback = {}\nextra_bytes = {}",
        if moves { pick(&["dsdv", "aodv", "olsr"]) } else { pick(&["static", "aodv", "aodv"]) },
        pick(&["true", "true", "false"]),
        pick(&["0", "20"]),
    );
    let mac = format!(
        "profile = \"{}\"\nssrl = {}\nslrl = {}\nrts_threshold = {}\ndata_rate = \"{}\"",
        pick(&["ns2", "std"]),
        pick(&["1", "2", "7", "20"]),
        pick(&["1", "4"]),
        pick(&["0", "0", "300", "3000"]),
        pick(&["1 Mb/s", "2 Mb/s", "11 Mb/s"]),
    );
    let radio = format!(
        "rx_model = \"{}\"\n[radio.errors]\nmodel = \"{}\"\nframe_error_rate = 0.1\nbad_loss = 0.8\n",
        pick(&["ns2", "ns2", "sinr"]),
        pick(&["none", "none", "uniform_packet", "gilbert"]),
    );
    let queue = pick(&["2", "3", "10", "50"]);
    let arp = pick(&["true", "true", "false"]);
    let flow = |transport: String, start: String, segment: String, window: String| {
        let app = if transport == "udp" { "app = \"cbr\"\nrate = \"300 kb/s\"" } else { "app = \"ftp\"" };
        format!(
            "[[flow]]\n{app}\ntransport = \"{transport}\"\nstart = \"{start}\"\nsegment = {segment}\nwindow = {window}\n"
        )
    };
    let transports = ["udp", "tahoe", "reno", "new_reno", "sack", "vegas", "split_tcp"];
    let starts = ["0 s", "0.5 s", "1 s"];
    let mut flows = String::new();
    for _ in 0..if kind == "chain" || kind == "grid" || kind == "random" { 1 } else { 2 } {
        flows += &flow(pick(&transports), pick(&starts), pick(&["40", "512", "1460"]), pick(&["1", "8", "64"]));
    }
    // Radios that are switched off and on, some of them in the midst of a frame.
    let mut nodes = String::new();
    for node in 0..if number % 2 == 1 { 2 } else { 0 } {
        let (off, on) = (pick(&["0 s", "0.7 s", "1.0031 s", "1.00713 s", "2.5 s"]), pick(&["2.9 s", "3 s", "1e9 s"]));
        let again = if on == "3 s" { ", [\"3.3331 s\", \"4 s\"]" } else { "" };
        nodes += &format!("[[node]]\nid = {node}\nradio_off = [[\"{off}\", \"{on}\"]{again}]\n");
    }
    format!(
        "duration = \"6 s\"\n{mobility}{nodes}[topology]\nkind = \"{kind}\"\n{size}\n{spacing}[routing]\n{routing}\n\
         [radio]\n{radio}[mac]\n{mac}\n[queue]\nlimit = {queue}\n[link]\narp = {arp}\n{flows}"
    )
}
