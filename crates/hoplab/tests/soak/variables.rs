//! What random scenarios differ in: for each key the values it is drawn from.

use crate::draft::{Block, Draft, Setting};
use crate::imports;
use hoplab::kernel::{Purpose, RandomStream, RandomStreams};
use hoplab::scenario::TRANSPORTS;

/// Keys beside topology, movement and flows. Each is at its default in three of four scenarios.
const KEYS: &[(&str, &[&str])] = &[
    ("profile", &["\"ns2\"", "\"std\""]),
    ("warmup", &["\"1 s\""]),
    ("goodput_interval", &["\"500 ms\""]),
    ("link.arp", &["false"]),
    ("link.delay", &["\"0 s\"", "\"1 ms\""]),
    ("queue.limit", &["2", "3", "10", "1000"]),
    ("mac.profile", &["\"ns2\"", "\"std\""]),
    ("mac.ssrl", &["1", "2", "20"]),
    ("mac.slrl", &["1", "2", "20"]),
    ("mac.cw_min", &["1", "7", "63"]),
    ("mac.cw_max", &["63", "255"]),
    ("mac.rts_threshold", &["300", "3000"]),
    ("mac.data_rate", &["\"1 Mb/s\"", "\"5.5 Mb/s\"", "\"11 Mb/s\""]),
    ("mac.basic_rate", &["\"2 Mb/s\"", "\"11 Mb/s\""]),
    ("mac.preamble", &["\"short\""]),
    ("mac.data_overhead", &["0", "100"]),
    ("radio.propagation", &["\"free_space\"", "\"shadowing\""]),
    ("radio.path_loss_exponent", &["2.5", "3.5"]),
    ("radio.shadowing_deviation_db", &["0", "6"]),
    ("radio.shadowing_coherence", &["\"link\""]),
    ("radio.rx_range", &["\"250 m\"", "\"120 m\""]),
    ("radio.cs_range", &["\"250 m\"", "\"900 m\""]),
    ("radio.capture_ratio", &["1", "1000"]),
    ("radio.rx_model", &["\"sinr\""]),
    ("radio.noise_figure_db", &["0", "15"]),
    ("radio.sinr.reception", &["\"threshold\""]),
    ("radio.sinr.frame_capture", &["true"]),
    ("radio.errors.model", &["\"uniform_packet\"", "\"uniform_bit\"", "\"ber_curves\"", "\"gilbert\""]),
    ("radio.errors.frame_error_rate", &["0.2", "0.9"]),
    ("radio.errors.bit_error_rate", &["1e-5", "1e-4"]),
    ("radio.errors.scope", &["\"data_only\""]),
    ("radio.errors.per", &["\"receiver\""]),
    ("radio.errors.good_mean", &["\"100 ms\""]),
    ("radio.errors.bad_loss", &["1"]),
    ("routing.profile", &["\"rfc\""]),
    ("routing.link_failure_feedback", &["false"]),
    ("routing.extra_bytes", &["20"]),
    ("routing.aodv.hello", &["true"]),
    ("routing.aodv.local_repair", &["false"]),
    ("routing.aodv.active_route_timeout", &["\"500 ms\""]),
    ("routing.aodv.buffer_limit", &["1", "5"]),
    ("routing.aodv.buffer_timeout", &["\"1 s\""]),
    ("routing.aodv.network_diameter", &["3"]),
    ("routing.aodv.ttl_start", &["1"]),
    ("routing.dsdv.update_period", &["\"1 s\""]),
    ("routing.dsdv.settling_time", &["\"100 ms\""]),
    ("routing.dsdv.use_mac", &["true"]),
    ("routing.dsr.cache_limit", &["1", "4"]),
    ("routing.dsr.cache_timeout", &["\"2 s\""]),
    ("routing.dsr.reply_from_cache", &["false"]),
    ("routing.dsr.nonpropagating_request", &["false"]),
    ("routing.dsr.max_salvage", &["0", "1"]),
    ("routing.dsr.promiscuous", &["false"]),
    ("routing.olsr.hello_interval", &["\"300 ms\""]),
    ("routing.olsr.tc_interval", &["\"500 ms\""]),
    ("routing.olsr.jitter_in_interval", &["false"]),
    ("routing.olsr.metric", &["\"etx\""]),
    ("routing.olsr.tc_redundancy", &["1", "2"]),
    ("routing.olsr.willingness", &["0", "7"]),
    ("routing.olsr.use_link_layer_feedback", &["true"]),
    ("tcp.profile", &["\"ns2_linux\"", "\"rfc\""]),
    ("tcp.delayed_ack", &["true"]),
    ("tcp.delayed_ack_timeout", &["\"500 ms\""]),
    ("tcp.ack_every", &["2", "4"]),
    ("tcp.dup_ack_threshold", &["1", "2"]),
    ("tcp.limited_transmit", &["false"]),
    ("tcp.timestamps", &["true"]),
    ("tcp.sack_blocks", &["1"]),
    ("tcp.initial_window", &["1", "10"]),
    ("tcp.initial_ssthresh", &["2"]),
    ("tcp.min_rto", &["\"10 ms\"", "\"1 s\""]),
    ("tcp.initial_rto", &["\"200 ms\""]),
    ("tcp.tick", &["\"1 ms\"", "\"500 ms\""]),
    ("tcp.new_reno_variant", &["\"slow_but_steady\""]),
    ("tcp.congestion.cubic.form", &["\"linux_2_6_22\"", "\"paper\""]),
    ("tcp.congestion.tcp_ap.preset", &["\"paper\""]),
    ("tcp.congestion.tcp_ap.clock", &["\"on_demand\""]),
    ("tcp.congestion.tcp_ap.initial_interval", &["\"1 ms\""]),
    ("tcp.congestion.vegas.headers", &["true"]),
    ("semi_tcp.preset", &["\"cai2013\""]),
    ("semi_tcp.t_c", &["3"]),
    ("semi_tcp.k", &["4"]),
    ("semi_tcp.congested_at", &["\"tc\"", "\"tc_and_m\""]),
    ("semi_tcp.ctsc_while_congested", &["true"]),
    ("semi_tcp.signal_in", &["[\"rts\", \"cts\", \"data\", \"ack\"]"]),
    ("semi_tcp.m_from", &["\"neighbors\""]),
    ("semi_tcp.ooo_ack", &["\"single\"", "\"dupack\""]),
    ("semi_tcp.coalesce_acks", &["true"]),
    ("semi_tcp.source_fill", &["\"fill_to_tc\""]),
    ("semi_tcp.table", &["\"global\""]),
    ("semi_tcp.refuse_while_parked", &["\"always\""]),
    ("semi_tcp.max_park", &["1"]),
    ("semi_tcp.refusal_frees_nav", &["true", "false"]),
    ("semi_tcp.udp_source_admission", &["true"]),
    ("semi_tcp.max_outstanding", &["4"]),
    ("semi_tcp.ack_delay", &["\"40 ms\""]),
    ("hop_release.hold", &["0", "1"]),
    ("hop_release.extra", &["0", "5"]),
    ("hop_release.extra_per_hop", &["1"]),
    ("hop_release.timeout", &["2"]),
    ("hop_release.requeue", &["0"]),
    ("hop_release.swap", &["false"]),
    ("hop_release.long_from", &["\"100 B\""]),
    ("hop_release.turn_wait", &["8"]),
    ("hop_release.ampdu", &["1", "20"]),
    ("hop_release.max_outstanding", &["4"]),
    ("hop_release.ack_delay", &["\"40 ms\""]),
    ("split_tcp.d_p", &["1"]),
    ("split_tcp.flavor", &["\"reno\"", "\"tahoe\""]),
    ("split_tcp.local_ack", &["\"cumulative\""]),
    ("split_tcp.state", &["\"aggregate\""]),
    ("split_tcp.store_per_flow", &["2"]),
    ("split_tcp.on_full", &["\"drop\""]),
    ("split_tcp.lack_routing", &["\"via_source\"", "\"direct\""]),
    ("split_tcp.w_e2e_mode", &["\"tcp\""]),
    ("split_tcp.store_ttl", &["\"1 s\""]),
    ("split_tcp.forward_then_lack", &["false"]),
    ("split_tcp.kick_on_route", &["true"]),
    ("split_tcp.failure.rate", &["0.4"]),
    ("split_tcp.failure.mode", &["\"node\""]),
    ("split_tcp.failure.mean_off", &["\"500 ms\""]),
    ("muzha.drai.mode", &["\"queue\"", "\"channel\"", "\"table\""]),
    ("muzha.echo", &["\"min_since_last_ack\""]),
    ("muzha.round", &["\"srtt\""]),
    ("muzha.ack_path", &["true"]),
    ("muzha.restart_idle", &["true"]),
    ("muzha.stamp_at", &["\"enqueue\""]),
    ("xcp.pacing", &["true"]),
    ("xcp.header", &["20"]),
    ("xcp.capacity", &["\"1 Mb/s\"", "\"1000 Mb/s\""]),
    ("xcp.tick", &["\"10 ms\""]),
    ("xcp_winf.mode", &["\"literal\""]),
    ("rcp.capacity", &["\"1 Mb/s\"", "\"1000 Mb/s\""]),
    ("rcp.ref_clock", &["\"min_rtt\""]),
    ("rcp_winf.mode", &["\"literal\""]),
    ("winf.mode", &["\"literal\""]),
    ("winf.everywhere", &["true"]),
    ("winf.ack_extra", &["4"]),
    ("winf.probes", &["4"]),
    ("idle_gap.everywhere", &["true"]),
];

/// Events at which runs end that have no bound of their own.
pub const MOST_EVENTS: u64 = 2_000_000;

const TOPOLOGIES: [&str; 7] = ["chain", "grid", "parallel", "spindle", "cross", "random", "positions"];

/// Where choices come from.
pub enum Chance<'b> {
    /// A random stream.
    Drawn(RandomStream),
    /// Given bytes, and zeros after them.
    Given(std::slice::Iter<'b, u8>),
}

impl Chance<'_> {
    pub fn below(&mut self, limit: u32) -> u32 {
        match self {
            Chance::Drawn(stream) => stream.below(limit),
            Chance::Given(bytes) => u32::from(bytes.next().copied().unwrap_or(1)) % limit,
        }
    }

    pub fn pick<'t>(&mut self, choices: &[&'t str]) -> &'t str {
        choices[self.below(choices.len() as u32) as usize]
    }

    /// Once in so many times.
    pub fn once_in(&mut self, times: u32) -> bool {
        self.below(times) == 0
    }
}

/// The random scenario of this number.
pub fn draft(number: u64) -> Draft {
    drawn(number, &mut Chance::Drawn(RandomStreams::new(number).stream(Purpose::Traffic, 0xd_4aff)))
}

/// The scenario that bytes choose: the first is its number.
pub fn chosen(bytes: &[u8]) -> Draft {
    let mut bytes = bytes.iter();
    let number = bytes.next().copied().unwrap_or_default();
    drawn(u64::from(number), &mut Chance::Given(bytes))
}

/// Protocols whose routes follow nodes that move.
const DISCOVERING: &[&str] = &["aodv", "dsdv", "dsr", "olsr"];

fn drawn(number: u64, chance: &mut Chance<'_>) -> Draft {
    let mut draft = Draft { seed: number, ..Draft::default() };
    let duration = chance.pick(&["2 s", "6 s", "6 s", "20 s"]);
    let nodes = place(&mut draft, chance, number, duration);
    // Every protocol gets its turn by number, and all the rest by chance.
    let routing = if draft.files.is_empty() { &["static", "aodv", "dsdv", "dsr", "olsr"] } else { DISCOVERING };
    let moves = draft.settings.iter().any(|setting| setting.key.starts_with("mobility."));
    let routing = if moves { DISCOVERING } else { routing };
    draft.settings.push(Setting::new("routing.protocol", &quoted(chance.pick(routing))));
    for &(key, values) in KEYS {
        if chance.once_in(4) {
            let value = chance.pick(values);
            draft.settings.push(Setting::new(key, value));
        }
    }
    let flows = 1 + chance.below(3);
    for flow in 0..flows {
        let transports = transports();
        let transport = transports[(number as usize + flow as usize * 8) % transports.len()];
        let block = self::flow(chance, transport, nodes);
        draft.blocks.push(block);
    }
    if chance.once_in(5) {
        traffic(&mut draft, chance);
    } else if chance.once_in(6) {
        imports::traffic(&mut draft, chance, nodes);
    }
    for _ in 0..chance.below(3) {
        let block = node(chance, nodes);
        let id = &block.settings[0];
        if !draft.blocks.iter().any(|other| other.table == "node" && other.settings[0] == *id) {
            draft.blocks.push(block);
        }
    }
    // Without a router of its own on the path, ATP sends a million packets a second.
    let text = draft.text();
    if text.contains("\"atp\"") && text.contains("feedback_router") {
        draft.cut_at = Some(MOST_EVENTS);
    }
    draft
}

/// Where nodes are, and how they move. How many there are, at least.
fn place(draft: &mut Draft, chance: &mut Chance<'_>, number: u64, duration: &str) -> u32 {
    draft.settings.push(Setting::new("duration", &quoted(duration)));
    if number % 8 == 7 {
        return imports::movements(draft, chance);
    }
    let kind = TOPOLOGIES[(number % 7) as usize];
    let mut set = |key: &str, value: &str| draft.settings.push(Setting::new(key, value));
    set("topology.kind", &quoted(kind));
    let nodes = match kind {
        "grid" => {
            set("topology.rows", chance.pick(&["1", "2", "4"]));
            set("topology.columns", chance.pick(&["2", "3", "5"]));
            2
        }
        "random" => {
            set("topology.nodes", chance.pick(&["6", "12", "20"]));
            let area = chance.pick(&["[\"400 m\", \"300 m\"]", "[\"800 m\", \"700 m\"]", "[\"100 m\", \"2000 m\"]"]);
            set("topology.area", area);
            6
        }
        "positions" => {
            let count = 3 + chance.below(6);
            let places: Vec<_> =
                (0..count).map(|_| format!("[{}, {}]", chance.below(700), chance.below(400))).collect();
            set("topology.positions", &format!("[{}]", places.join(", ")));
            count
        }
        _ => {
            set("topology.hops", chance.pick(&["2", "3", "4", "6", "9"]));
            3
        }
    };
    if !matches!(kind, "random" | "positions") {
        set("topology.spacing", &quoted(chance.pick(&["100 m", "200 m", "249 m"])));
    }
    if chance.once_in(6) {
        set("topology.extra", "[[0.0, 0.0], [90000.0, 90000.0]]");
    }
    if chance.once_in(3) {
        let moves = chance.once_in(2);
        if moves {
            set("topology.mobile_nodes", chance.pick(&["1", "4"]));
        }
        set("mobility.kind", "\"waypoint\"");
        set("mobility.init", &quoted(chance.pick(&["stationary", "topology", "uniform", "setdest2"])));
        set("mobility.max_speed", &quoted(chance.pick(&["20 m/s", "300 m/s"])));
        set("mobility.pause", &quoted(chance.pick(&["0 s", "1 s"])));
        set("mobility.area", chance.pick(&["[\"500 m\", \"500 m\"]", "[\"2000 m\", \"200 m\"]"]));
        if chance.once_in(4) {
            set("mobility.stationary_nodes", "[0]");
        }
    }
    nodes
}

fn flow(chance: &mut Chance<'_>, transport: &str, nodes: u32) -> Block {
    let mut settings = vec![Setting::new("transport", &quoted(transport))];
    let mut set = |key: &str, value: &str| settings.push(Setting::new(key, value));
    let apps: &[&str] = if transport == "udp" {
        &["cbr", "cbr", "on_off", "voip", "adhoc_probe", "winf_probe"]
    } else {
        &["ftp", "ftp", "ftp", "cbr", "on_off"]
    };
    let app = chance.pick(apps);
    if app != "ftp" {
        set("app", &quoted(app));
    }
    match app {
        "cbr" => {
            set("rate", &quoted(chance.pick(&["20 kb/s", "300 kb/s", "3 Mb/s"])));
            if chance.once_in(2) {
                set("random", "true");
            }
        }
        "on_off" => set("rate", &quoted(chance.pick(&["64 kb/s", "1 Mb/s"]))),
        "voip" => set("talk_spurts", chance.pick(&["true", "false"])),
        "adhoc_probe" | "winf_probe" => set("interval", &quoted(chance.pick(&["50 ms", "250 ms"]))),
        _ => {}
    }
    let from = chance.below(nodes);
    set("from", &from.to_string());
    set("to", &((from + 1 + chance.below(nodes - 1)) % nodes).to_string());
    if chance.once_in(2) && app != "voip" {
        set("segment", chance.pick(&["40", "512", "1460"]));
    }
    if chance.once_in(2) {
        set("window", chance.pick(&["1", "8", "64", "300"]));
    }
    if chance.once_in(2) {
        set("start", &quoted(chance.pick(&["1 ns", "500 ms", "1 s"])));
    }
    if chance.once_in(4) {
        set("start_spread", &quoted(chance.pick(&["100 ms"])));
    }
    if chance.once_in(4) {
        set("stop", "\"1.7 s\"");
    }
    if chance.once_in(4) && !app.ends_with("probe") {
        set("max_packets", chance.pick(&["1", "50"]));
    }
    Block { table: "flow", settings }
}

/// Transports of the engine.
pub fn transports() -> Vec<&'static str> {
    TRANSPORTS.iter().filter(|transport| transport.stack().is_none()).map(|transport| transport.name).collect()
}

fn traffic(draft: &mut Draft, chance: &mut Chance<'_>) {
    let mut set = |key: &str, value: &str| draft.settings.push(Setting::new(key, value));
    let kind = chance.pick(&["cbr", "tcp"]);
    set("traffic.kind", &quoted(kind));
    set("traffic.pairs", &quoted(chance.pick(&["cbrgen", "random", "ring"])));
    set("traffic.connections", chance.pick(&["1", "3"]));
    set("traffic.start_window", "\"1 s\"");
    if kind == "cbr" {
        set("traffic.rate", "\"40 kb/s\"");
    } else {
        let transports = transports();
        let transport = transports[1 + chance.below(transports.len() as u32 - 1) as usize];
        set("traffic.transport", &quoted(transport));
    }
}

fn node(chance: &mut Chance<'_>, nodes: u32) -> Block {
    let mut settings = vec![Setting::new("id", &chance.below(nodes).to_string())];
    let mut set = |key: &str, value: &str| settings.push(Setting::new(key, value));
    if chance.once_in(2) {
        let times = [
            "[[\"0 s\", \"1 s\"]]",
            "[[\"1.0031 s\", \"1.5 s\"]]",
            "[[\"1.00713 s\", \"1e9 s\"]]",
            "[[\"700 ms\", \"900 ms\"], [\"1.3331 s\", \"1.4 s\"]]",
        ];
        set("radio_off", chance.pick(&times));
    }
    let keys: [(&str, &[&str]); 8] = [
        ("mac.ssrl", &["1", "9"]),
        ("mac.cw_min", &["3"]),
        ("queue.limit", &["2", "5"]),
        ("radio.tx_power", &["\"1 mW\"", "\"2 W\""]),
        ("handshake", &["\"plain\"", "\"semi_tcp\"", "\"hop_release\""]),
        ("observer", &["\"none\"", "\"busy\"", "\"winf\"", "\"idle_gap\""]),
        ("feedback_router", &["\"none\"", "\"xcp\"", "\"muzha\"", "\"rcp\"", "\"xcp_b\""]),
        ("proxy", &["false"]),
    ];
    for (key, values) in keys {
        if chance.once_in(4) {
            set(key, chance.pick(values));
        }
    }
    Block { table: "node", settings }
}

pub fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}
