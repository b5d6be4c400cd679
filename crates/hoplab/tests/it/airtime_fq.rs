//! Airtime fairness of an access point between a near and a far station of 802.11a, and of 802.11n with A-MPDUs.

use hoplab::kernel::FlowId;
use hoplab::scenario::Resolved;
use hoplab::world::World;

/// Payload and IP bytes of a datagram; bytes of its data frame.
const PAYLOAD: u32 = 1472;
const FRAME_BYTES: f64 = 1500.0 + 36.0;
const SEEDS: u64 = 10;
const SECONDS: f64 = 4.0;

/// Microseconds of a frame of 802.11a: 20 of preamble and header, symbols of 4 (IEEE 802.11-2016 section 17.4.3).
fn frame(bytes: f64, mbps: f64) -> f64 {
    20.0 + 4.0 * ((22.0 + 8.0 * bytes) / (4.0 * mbps)).ceil()
}

/// Microseconds of data and ACK; ACKs take the highest mandatory rate that is no faster.
fn exchange(mbps: f64, ack_mbps: f64) -> f64 {
    frame(FRAME_BYTES, mbps) + frame(14.0, ack_mbps)
}

/// Datagrams delivered at the near and at the far station. `offered` is in Mb/s.
fn delivered(queue: &str, offered: [f64; 2], seed: u64) -> [f64; 2] {
    delivered_by("standard = \"11a\"", queue, offered, seed)
}

fn delivered_by(radio: &str, queue: &str, offered: [f64; 2], seed: u64) -> [f64; 2] {
    let flow = |(to, rate): (usize, f64)| {
        format!(
            "[[flow]]\nfrom = 0\nto = {to}\ntransport = \"udp\"\napp = \"poisson\"\nsegment = {PAYLOAD}\nrate = \"{rate} Mb/s\"\n\
             start_spread = \"20 ms\"\n"
        )
    };
    let flows: String = [1, 2].into_iter().zip(offered).map(flow).collect();
    // 28 dB and 5.5 dB above noise.
    let text = format!(
        "profile = \"std\"\nduration = \"{SECONDS} s\"\n[queue]\n{queue}\n\
         [topology]\nkind = \"positions\"\npositions = [[0, 0], [2, 0], [-27, 0]]\n\
         [radio]\n{radio}\nnoise_figure_db = 20\ntx_power = \"1 mW\"\npropagation = \"free_space\"\nlink_threshold = \"-82 dBm\"\n\
         [link]\narp = false\ndelay = \"0 s\"\n[mac]\nrts_threshold = 65535\nrate_control = \"ideal\"\n{flows}"
    );
    let scenario = Resolved::parse(&text, "airtime_fq.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut world = World::new(&scenario, seed);
    world.run_until(scenario.end()).expect("a run that goes on");
    world.audit().expect("packets are conserved");
    [0, 1].map(|flow| world.ctx().trace.counters.data(FlowId(flow)).delivered as f64)
}

/// Mean of a ratio and half of its 95 % interval, over seeds.
fn interval(ratio: impl Fn(u64) -> f64) -> (f64, f64) {
    let ratios: Vec<f64> = (1..=SEEDS).map(ratio).collect();
    let n = ratios.len() as f64;
    let mean = ratios.iter().sum::<f64>() / n;
    let variance = ratios.iter().map(|ratio| (ratio - mean) * (ratio - mean)).sum::<f64>() / (n - 1.0);
    // Student's t with 9 degrees of freedom.
    (mean, 2.262 * (variance / n).sqrt())
}

fn ratio(queue: &str) -> (f64, f64) {
    interval(|seed| {
        let [near, far] = delivered(queue, [40.0, 40.0], seed);
        near / far
    })
}

#[test]
fn stations_have_equal_airtime_instead_of_equal_rates() {
    let airtimes = exchange(6.0, 6.0) / exchange(54.0, 24.0);
    for (queue, expected) in [("limit = 500", 1.0), ("kind = \"fq_codel\"", 1.0), ("kind = \"airtime_fq\"", airtimes)] {
        let (mean, half) = ratio(queue);
        println!("{queue}: {mean} ± {half}, expected {expected}");
        assert!((mean / expected - 1.0).abs() < 0.03 && half < 0.03 * expected, "{queue}: {mean} ± {half}");
    }
}

#[test]
fn stations_with_ampdus_have_equal_airtime() {
    // 28 MPDUs at MCS 7 and 2 at MCS 0, each with a Block Ack (docs/protocols/wifi.md).
    let airtimes = (3908.0 / 2.0) / (5392.0 / 28.0);
    for (queue, expected) in [("limit = 500", 1.0), ("kind = \"fq_codel\"", 1.0), ("kind = \"airtime_fq\"", airtimes)] {
        let (mean, half) = interval(|seed| {
            let [near, far] = delivered_by("standard = \"11n\"", queue, [80.0, 80.0], seed);
            near / far
        });
        println!("{queue}: {mean} ± {half}, expected {expected}");
        assert!((mean / expected - 1.0).abs() < 0.03 && half < 0.03 * expected, "{queue}: {mean} ± {half}");
    }
}

#[test]
fn station_that_needs_less_than_its_share_gets_all_of_it() {
    let (mean, _) = interval(|seed| {
        let [near, _] = delivered("kind = \"airtime_fq\"", [2.0, 40.0], seed);
        near * f64::from(PAYLOAD) * 8e-6 / SECONDS
    });
    assert!((1.95..=2.0).contains(&mean), "{mean}");
    let [near, _] = delivered("limit = 50", [2.0, 40.0], 1);
    assert!(near * f64::from(PAYLOAD) * 8e-6 / SECONDS < 1.0, "{near}");
}
