//! An amendment outside the engine: `cargo run -p hoplab --example toy_standard`.
//!
//! The row is that of 802.11n with one mode more per stream, 256-QAM at code rate 3/4, and with MCSs that do not imply streams.
//! The example compares the fastest mode of 802.11n with the new one over the same short link.

use hoplab::packet::{CodeRate, Constellation, Mode, Width};
use hoplab::phy::{HT_FORMS, HT_MIXED, McsChannel, McsForm, McsRule, Standard, mcs_modes};
use hoplab::scenario::Resolved;
use hoplab::world::World;
use std::sync::LazyLock;

const SCENARIO: &str = r#"
duration = "2 s"
profile = "std"

[topology]
kind = "chain"
hops = 1
spacing = "5 m"

[radio]
standard = "11n"
propagation = "free_space"

[mac]
mcs = 7

[queue]
limit = 500

[[flow]]
transport = "udp"
app = "cbr"
segment = 1472
rate = "200 Mb/s"
"#;

/// 802.11n in 20 MHz, with 256-QAM.
pub static QAM256: LazyLock<Standard> = LazyLock::new(|| {
    let n = Standard::named("11n").expect("a row of the engine");
    Standard {
        name: "11n-256qam",
        summary: "802.11n in 20 MHz with 256-QAM, 6.5 to 156 Mb/s",
        widths: &[Width::MHZ20],
        // Those of 802.11b, OFDM, and the new ones.
        modes: Vec::leak(vec![n.modes[0], n.modes[1], &MODES]),
        mcs: Some(RULE),
        ..*n
    }
});

const RULE: McsRule = McsRule { usual: 3, streams: 2, implies_streams: false };

static FORMS: [McsForm; 9] = {
    let [zero, one, two, three, four, five, six, seven] = HT_FORMS;
    let eight =
        McsForm { constellation: Constellation::QAM256, rate: CodeRate::ThreeQuarters, reference: seven.reference };
    [zero, one, two, three, four, five, six, seven, eight]
};

static MODES: [Mode; 18] =
    mcs_modes(&FORMS, RULE, McsChannel { format: &HT_MIXED, width: Width::MHZ20, tones: 52, guard_ns: 800 });

/// Goodput of the flow in bits per second: with 802.11n, or with an MCS of the new row.
///
/// # Errors
/// What is wrong with the scenario, or with the run.
pub fn run(mcs: Option<u32>, streams: u32, seed: u64) -> Result<f64, String> {
    let mut scenario = Resolved::parse(SCENARIO, "toy.toml", &[]).map_err(|error| error.to_string())?;
    if let Some(mcs) = mcs {
        scenario.radio.standard = Some(&QAM256);
        scenario.radio.streams = Some(streams);
        let mode = scenario.radio.phy().mode_of_mcs(mcs, scenario.mac.guard_ns()).ok_or("no such MCS")?;
        (scenario.mac.mcs, scenario.mac.data_rate) = (Some(mcs), mode.rate());
    }
    let mut world = World::build(&scenario, seed).map_err(|error| error.to_string())?;
    world.run_until(scenario.end()).map_err(|error| error.to_string())?;
    Ok(world.report(&scenario, seed, 0.0).flows[0].goodput_bps)
}

fn main() -> Result<(), String> {
    println!("802.11n, MCS 7: {:.1} Mb/s", run(None, 1, 1)? * 1e-6);
    for streams in [1, 2] {
        println!("256-QAM 3/4, streams {streams}: {:.1} Mb/s", run(Some(8), streams, 1)? * 1e-6);
    }
    Ok(())
}
