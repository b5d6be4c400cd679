//! Networks of 802.11a, 802.11g and 802.11n against closed forms.

use hoplab::kernel::FlowId;
use hoplab::packet::FrameKind;
use hoplab::scenario::Resolved;
use hoplab::trace::Loss;
use hoplab::world::World;

const RATES: [f64; 8] = [6.0, 9.0, 12.0, 18.0, 24.0, 36.0, 48.0, 54.0];

/// The run of saturated senders on a circle of 5 m round node 0.
fn cell(senders: usize, seconds: f64, radio: &str, mac: &str) -> World {
    let place = |sender: usize| {
        let angle = std::f64::consts::TAU * sender as f64 / senders as f64;
        format!("[{}, {}]", 5.0 * libm::cos(angle), 5.0 * libm::sin(angle))
    };
    let places: Vec<String> = (0..senders).map(place).collect();
    let rate = if radio.contains("11n") { 320 } else { 40 };
    let flow = |sender: usize| {
        format!(
            "[[flow]]\nfrom = {}\nto = 0\ntransport = \"udp\"\napp = \"cbr\"\nsegment = 1472\nrate = \"{rate} Mb/s\"\n",
            sender + 1
        )
    };
    let flows: Vec<String> = (0..senders).map(flow).collect();
    let text = format!(
        "profile = \"std\"\nduration = \"{seconds} s\"\n\
         [topology]\nkind = \"positions\"\npositions = [[0, 0], {}]\n[radio]\n{radio}\n\
         [link]\narp = false\ndelay = \"0 s\"\n[mac]\n{mac}\n{}",
        places.join(", "),
        flows.concat()
    );
    let scenario = Resolved::parse(&text, "wifi.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut world = World::new(&scenario, 1);
    world.run_until(scenario.end()).expect("a run that goes on");
    world.audit().expect("packets are conserved");
    world
}

/// Payload delivered in Mb/s.
fn mbps(world: &World, senders: usize, seconds: f64) -> f64 {
    let delivered = |flow: usize| world.ctx().trace.counters.data(FlowId(flow as u32)).delivered;
    (0..senders).map(delivered).sum::<u64>() as f64 * 1472.0 * 8e-6 / seconds
}

const OPEN: &str = "rts_threshold = 3000";

fn assert_lone(radio: &str, mac: impl Fn(f64) -> String, expected: [f64; 8]) {
    for (rate, expected) in RATES.into_iter().zip(expected) {
        let got = mbps(&cell(1, 8.0, radio, &mac(rate)), 1, 8.0);
        assert!((got / expected - 1.0).abs() < 0.005, "{radio} {}: {got} against {expected}", mac(rate));
    }
}

#[test]
fn lone_sender_matches_exchange_times() {
    // 11776 bits in DIFS, a mean of 7.5 slots, DATA, SIFS and ACK.
    let expected = [5.2724, 7.5999, 9.8338, 13.7973, 17.2795, 23.1129, 27.6757, 29.9263];
    assert_lone("standard = \"11a\"", |rate| format!("data_rate = \"{rate} Mb/s\"\n{OPEN}"), expected);
}

#[test]
fn lone_sender_with_rts_matches_exchange_times() {
    // RTS and CTS at the rate of the response.
    let expected = [4.9867, 7.0200, 9.0759, 12.3503, 15.3034, 19.7088, 22.9328, 24.4569];
    let mac = |rate: f64| {
        let basic = [24.0, 12.0, 6.0].into_iter().find(|basic| *basic <= rate).unwrap_or(6.0);
        format!("data_rate = \"{rate} Mb/s\"\nbasic_rate = \"{basic} Mb/s\"\nrts_threshold = 0")
    };
    assert_lone("standard = \"11a\"", mac, expected);
}

#[test]
fn lone_sender_of_11g_has_long_slots_or_protection() {
    let long = [5.0368, 7.1197, 9.0445, 12.2923, 14.9822, 19.1792, 22.2189, 23.6466];
    let mac = |more: &'static str| move |rate: f64| format!("data_rate = \"{rate} Mb/s\"\n{OPEN}\n{more}");
    assert_lone("standard = \"11g\"", mac("short_slot = false"), long);
    let protected = [4.6226, 6.3193, 7.7909, 10.0865, 11.8292, 14.2999, 15.9243, 16.6445];
    assert_lone("standard = \"11g\"", mac("protection = \"cts_to_self\"\nbasic_rate = \"1 Mb/s\""), protected);
}

#[test]
fn lone_sender_with_rts_protection_pays_for_slow_frames() {
    let mac = format!("data_rate = \"54 Mb/s\"\n{OPEN}\nprotection = \"rts_cts\"\nbasic_rate = \"1 Mb/s\"");
    let world = cell(1, 2.0, "standard = \"11g\"", &mac);
    // 28 DIFS, 67.5 slots, 352 RTS, 304 CTS, 254 DATA, 30 ACK, 3 x 10 SIFS.
    let expected = 11776.0 / (28.0 + 67.5 + 352.0 + 304.0 + 254.0 + 30.0 + 30.0);
    assert!((mbps(&world, 1, 2.0) / expected - 1.0).abs() < 0.006);
    let frames = |kind| world.ctx().trace.counters.frames(kind);
    assert!(frames(FrameKind::Rts).abs_diff(frames(FrameKind::Data)) <= 1);
}

#[test]
fn narrow_channels_take_longer() {
    for (mhz, rate, expected) in [(10, 27.0, 15.9228), (10, 3.0, 2.6645)] {
        let radio = format!("standard = \"11a\"\nbandwidth = \"{mhz} MHz\"");
        let got = mbps(&cell(1, 2.0, &radio, &format!("data_rate = \"{rate} Mb/s\"\n{OPEN}")), 1, 2.0);
        assert!((got / expected - 1.0).abs() < 0.006, "{mhz} MHz, {rate} Mb/s: {got}");
    }
}

/// Bianchi 2000 with finite retries (window 16, 6 doublings, 7 attempts), Mb/s: a successful exchange and a collision last
/// these microseconds, a slot 9.
fn bianchi(senders: i32, success: f64, collision: f64) -> f64 {
    let tau = |p: f64| {
        let terms = |stage: i32| (libm::pow(p, f64::from(stage)), (f64::from(16 << stage.min(6)) - 1.0) / 2.0 + 1.0);
        let (attempts, slots) = (0..7).map(terms).fold((0.0, 0.0), |(a, s), (q, w)| (a + q, s + q * w));
        attempts / slots
    };
    let (mut low, mut high) = (0.0, 0.999);
    for _ in 0..60 {
        let p = f64::midpoint(low, high);
        if 1.0 - libm::pow(1.0 - tau(p), f64::from(senders - 1)) > p { low = p } else { high = p }
    }
    let tau = tau(f64::midpoint(low, high));
    let idle = libm::pow(1.0 - tau, f64::from(senders));
    let one = f64::from(senders) * tau * libm::pow(1.0 - tau, f64::from(senders - 1));
    one * 11776.0 / (idle * 9.0 + one * success + (1.0 - idle - one) * collision)
}

#[test]
fn cells_match_bianchi_with_ofdm_times() {
    // 802.11a at 54 Mb/s, control at 24 Mb/s: DATA 248; RTS, CTS and ACK 28.
    for (senders, basic, rts) in [(5, 28.78, 25.73), (20, 24.11, 24.54)] {
        let expected = [
            bianchi(senders, 248.0 + 16.0 + 28.0 + 34.0, 248.0 + 94.0),
            bianchi(senders, 248.0 + 16.0 + 28.0 + 34.0 + 28.0 + 28.0 + 32.0, 28.0 + 94.0),
        ];
        assert!((expected[0] - basic).abs() < 0.02 && (expected[1] - rts).abs() < 0.02, "{expected:?}");
        for (threshold, expected, share) in [(3000, expected[0], 0.07), (0, expected[1], 0.035)] {
            let mac = format!("data_rate = \"54 Mb/s\"\nbasic_rate = \"24 Mb/s\"\nrts_threshold = {threshold}");
            let got = mbps(&cell(senders as usize, 1.0, "standard = \"11a\"", &mac), senders as usize, 1.0);
            assert!((got / expected - 1.0).abs() < share, "{senders} senders, {threshold}: {got} against {expected}");
        }
    }
}

#[test]
fn weak_signals_lose_long_frames_at_fast_rates_first() {
    let radio = |noise: f64| {
        format!(
            "standard = \"11a\"\nnoise_figure_db = {noise}\ntx_power = \"1 mW\"\npropagation = \"free_space\"\nlink_threshold = \"-82 dBm\""
        )
    };
    let lost = |rate: u32, noise: f64| {
        let mac = format!("data_rate = \"{rate} Mb/s\"\n{OPEN}\nssrl = 1\nslrl = 1");
        let world = cell(1, 1.0, &radio(noise), &mac);
        let sent = world.ctx().trace.counters.frames(FrameKind::Data) as f64;
        world.ctx().trace.counters.lost(Loss::Noise) as f64 / sent
    };
    // Received at 5 m and 5.18 GHz: -60.7 dBm; noise of 20 MHz: -100.97 dBm and the figure, so 13.3 dB. At 24 Mb/s a tenth of the
    // frames is lost at 13.5 dB, nine tenths at 12.5 dB.
    let share = lost(24, 27.0);
    assert!((0.12..0.5).contains(&share), "{share}");
    assert!(lost(6, 27.0) < 0.01 && lost(54, 27.0) > 0.99 && lost(54, 10.0) < 0.01);
}

#[test]
fn lone_sender_of_11n_matches_exchange_times() {
    // 11776 bits in AIFS (43 us), a mean of 7.5 slots, one PPDU of 1538 bytes, SIFS and ACK.
    let lone = |radio: &str, mac: &str, expected: f64| {
        let got = mbps(&cell(1, 4.0, radio, mac), 1, 4.0);
        assert!((got / expected - 1.0).abs() < 0.0035, "{radio} {mac}: {got} against {expected}");
    };
    for (mcs, expected) in [(0, 5.5901), (3, 17.667), (5, 27.350), (7, 30.782)] {
        let mac = format!("mcs = {mcs}\nampdu = \"0 B\"\nbasic_rate = \"24 Mb/s\"\n{OPEN}");
        lone("standard = \"11n\"", &mac, expected);
    }
    let mac = format!("mcs = 7\nampdu = \"0 B\"\n{OPEN}");
    lone("standard = \"11n\"\nband = \"2.4 GHz\"", &mac, 30.782);
    // MCS 15 in 40 MHz with the short guard interval: 12 symbols of 3.6 us, so 44 us behind a preamble of 40; ACK 28.
    let mac = format!("mcs = 15\nampdu = \"0 B\"\nshort_gi = true\n{OPEN}");
    let expected = 11776.0 / (43.0 + 67.5 + 84.0 + 16.0 + 28.0);
    lone("standard = \"11n\"\nbandwidth = \"40 MHz\"\nstreams = 2", &mac, expected);
    // Without QoS: DIFS, and 1536 bytes.
    let mac = format!("mcs = 7\nqos = false\n{OPEN}");
    lone("standard = \"11n\"", &mac, 11776.0 / (34.0 + 67.5 + 228.0 + 16.0 + 28.0));
    let mac = format!("mcs = 7\nampdu = \"0 B\"\naifsn = 7\n{OPEN}");
    lone("standard = \"11n\"", &mac, 11776.0 / (79.0 + 67.5 + 228.0 + 16.0 + 28.0));
}

#[test]
fn lone_sender_of_ampdus_matches_the_closed_form() {
    // 11776 n bits in AIFS (43 us), a mean of 7.5 slots, a PPDU of n MPDUs, SIFS and Block Ack: 0.2 % is left for propagation,
    // the first exchange and the draws of slots.
    let lone = |radio: &str, mac: &str, expected: f64| {
        let mac = format!("basic_rate = \"24 Mb/s\"\n{mac}");
        let radio = format!("standard = \"11n\"\n{radio}");
        let got = mbps(&cell(1, 4.0, &radio, &mac), 1, 4.0);
        assert!((got / expected - 1.0).abs() < 0.002, "{radio} {mac}: {got} against {expected}");
    };
    for (mcs, expected) in [(0, 5.838), (1, 11.874), (2, 17.861), (4, 35.860), (5, 47.777), (7, 59.749)] {
        lone("", &format!("mcs = {mcs}\nrts_threshold = 65535"), expected);
    }
    for (mcs, expected) in [(8, 11.808), (12, 71.669), (15, 118.03)] {
        lone("streams = 2", &format!("mcs = {mcs}\nrts_threshold = 65535"), expected);
    }
    lone("bandwidth = \"40 MHz\"", "mcs = 7\nrts_threshold = 65535", 122.47);
    lone("", "mcs = 7\nrts_threshold = 0", 58.810);
    lone("", "mcs = 7\nrts_threshold = 65535\nampdu = \"0 B\"\namsdu = \"3839 B\"", 41.278);
    lone("", "mcs = 7\nrts_threshold = 65535\nampdu = \"0 B\"\namsdu = \"7935 B\"", 51.896);
    lone("", "mcs = 7\nrts_threshold = 65535\namsdu = \"3839 B\"", 59.923);
}

#[test]
fn lone_sender_of_bursts_matches_the_closed_form() {
    // 11776 n bits in AIFS (43 us), a mean of 7.5 slots, n exchanges of `frame`, SIFS and `answer` at SIFS, and a CF-End (52 us at
    // 6 Mb/s) behind SIFS. Propagation delays lengthen each exchange by 33 ns.
    let lone = |mac: &str, first: f64, packets: f64, exchanges: f64, exchange: f64| {
        let mac = format!("mcs = 7\nbasic_rate = \"24 Mb/s\"\n{mac}");
        let world = cell(1, 4.0, "standard = \"11n\"", &mac);
        let air = exchanges * (exchange + 16.0 + 0.033) - 16.0;
        let expected = 11776.0 * packets / (43.0 + 67.5 + first + air + 16.0 + 52.0);
        let got = mbps(&world, 1, 4.0);
        let frames = |kind| world.ctx().trace.counters.frames(kind) as f64;
        let accesses = frames(FrameKind::CfEnd);
        let sent = frames(FrameKind::Data) + frames(FrameKind::Aggregate);
        assert!((sent / accesses - exchanges).abs() < 0.05, "{mac}: {sent} data frames, {accesses} CF-Ends");
        let protected = frames(FrameKind::Rts) / accesses;
        assert!((protected - if first > 0.0 { 1.0 } else { 0.0 }).abs() < 0.01, "{mac}: {protected} RTSs");
        assert!((got / expected - 1.0).abs() < 0.0013, "{mac}: {got} against {expected}");
        expected
    };
    // 8 data frames of 228 us with ACKs of 28; at 10 m 38.187 Mb/s, in ns-3.37 38.190.
    let expected = lone("ampdu = \"0 B\"\nrts_threshold = 65535\ntxop_limit = \"2528 us\"", 0.0, 8.0, 8.0, 272.0);
    assert!((expected - 38.187).abs() < 0.005, "{expected}");
    // RTS and CTS of 28 us precede the first.
    lone("ampdu = \"0 B\"\nrts_threshold = 0\ntxop_limit = \"2528 us\"", 88.0, 8.0, 8.0, 272.0);
    // Two A-MPDUs of 10 MPDUs (1940 us) with Block Acks of 32 within 4096 us.
    lone("ampdu = \"15438 B\"\nrts_threshold = 65535\ntxop_limit = \"4096 us\"", 0.0, 20.0, 2.0, 1988.0);
    // One A-MPDU of 10 MPDUs: the limit is too short for 11.
    lone("rts_threshold = 65535\ntxop_limit = \"2080 us\"", 0.0, 10.0, 1.0, 1988.0);
}

#[test]
fn lossy_links_and_collisions_leave_ampdus_in_order() {
    // 40.3 dB less the noise figure: about half of the MPDUs are lost at 23.2 dB and MCS 7, and at 20.8 dB and MCS 5.
    let radio = |noise: f64| {
        format!(
            "standard = \"11n\"\nnoise_figure_db = {noise}\ntx_power = \"1 mW\"\npropagation = \"free_space\"\nlink_threshold = \"-82 dBm\""
        )
    };
    for (senders, noise, mac) in [
        (1, 17.1, "mcs = 7"),
        (1, 17.1, "mcs = 7\nmpdu_life = \"5 ms\""),
        (1, 17.1, "mcs = 7\nssrl = 1\nslrl = 1\namsdu = \"3839 B\""),
        (8, 7.0, "mcs = 7\nrts_threshold = 65535"),
        (8, 19.5, "mcs = 5\nmpdu_life = \"20 ms\"\nrts_threshold = 65535"),
    ] {
        let world = cell(senders, 1.0, &radio(noise), mac);
        assert!(mbps(&world, senders, 1.0) > 1.0, "{senders} {mac}");
        let kinds = [FrameKind::Aggregate, FrameKind::BlockAck].map(|kind| world.ctx().trace.counters.frames(kind));
        assert!(kinds.iter().all(|count| *count > 20), "{senders} {mac}: {kinds:?}");
        // Collisions lose whole A-MPDUs: Block Acks are asked for.
        let requests = world.ctx().trace.counters.frames(FrameKind::BlockAckRequest);
        assert!(senders == 1 || requests > 20, "{senders} {mac}: {requests} requests");
    }
}
