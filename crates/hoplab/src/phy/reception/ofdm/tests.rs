//! Which frames a receiver of OFDM locks on, and when the medium is busy.

use super::*;
use crate::kernel::{RadioId, Watts};
use crate::packet::{Frame, FrameKind, Width};
use crate::phy::standard::{Band, Standard};

const ME: RadioId = RadioId(0);
const WINDOW: Span = Span::from_micros(4);

/// A receiver, and the frames that reach it.
struct Bench {
    model: Ofdm,
    radio: Radio,
    frames: Vec<(Frame, f64)>,
}

impl Bench {
    /// Each frame: its power in dBm.
    fn new(powers: &[f64]) -> Bench {
        let config = RadioConfig::std().of_standard(Standard::A, Band::Ghz5);
        let impairments = Impairments::new(&config, 8, 1);
        let frame = |sender| Frame {
            bytes: 1536,
            airtime: Span::from_micros(2072),
            modulation: Modulation::ofdm(Width::Mhz20)[0],
            ..Frame::blank(FrameKind::Data, RadioId(sender), RadioId(7))
        };
        let frames = powers.iter().zip(1..).map(|(dbm, sender)| (frame(sender), Watts::from_dbm(*dbm).0));
        Bench { model: Ofdm::new(&config, impairments, 8, 1), radio: Radio::default(), frames: frames.collect() }
    }

    fn start(&mut self, index: u32, micros: u64) {
        let (frame, power) = self.frames[index as usize];
        let signal = Signal::new(index, &frame, 0, false);
        let receiver = Receiver { power, ..Receiver::new(ME, 1.0, power) };
        let now = Time(micros * 1000);
        assert_eq!(self.model.on_start(&mut self.radio, &signal, &receiver, now), Arrival::Unnoticed);
    }

    /// The window of a frame ends. Whether the medium becomes busy with that.
    fn detect(&mut self, index: u32, micros: u64) -> bool {
        let (frame, _) = self.frames[index as usize];
        let signal = Signal::new(index, &frame, 0, false);
        self.model.on_detect(&mut self.radio, &signal, ME, Time(micros * 1000)) == Arrival::Busy
    }

    fn end(&mut self, index: u32, micros: u64) -> Departure {
        let (frame, _) = self.frames[index as usize];
        self.model.on_end(&mut self.radio, &Signal::new(index, &frame, 0, false), ME, Time(micros * 1000))
    }
}

const CLEAN: Departure = Departure::Indicate(PhyIndication::RxEnd(Reception::Clean));

#[test]
fn medium_is_busy_from_the_end_of_the_window_on() {
    let mut bench = Bench::new(&[-60.0]);
    assert_eq!(bench.model.window, WINDOW);
    bench.start(0, 0);
    assert!(!bench.radio.is_receiving());
    assert!(bench.detect(0, 4));
    assert_eq!(bench.radio.locked_on(), Some(0));
    assert_eq!(bench.radio.rx_start(Span::from_micros(2072)), Time::ZERO);
    assert_eq!(bench.end(0, 2072), CLEAN);
}

#[test]
fn strongest_frame_of_open_windows_is_locked() {
    let mut bench = Bench::new(&[-70.0, -60.0]);
    bench.start(0, 0);
    bench.start(1, 2);
    assert!(bench.detect(0, 4), "energy");
    assert_eq!(bench.radio.locked_on(), None, "a stronger frame has begun");
    assert!(!bench.detect(1, 6), "it is busy already");
    assert_eq!(bench.radio.locked_on(), Some(1));
}

#[test]
fn later_frame_disturbs_the_locked_one() {
    let mut bench = Bench::new(&[-70.0, -60.0]);
    bench.start(0, 0);
    bench.detect(0, 4);
    bench.start(1, 30);
    bench.detect(1, 34);
    assert_eq!(bench.radio.locked_on(), Some(0), "no capture");
    assert_eq!(bench.end(0, 2072), Departure::Indicate(PhyIndication::RxEnd(Reception::Collided)));
    bench.radio.release();
    assert_eq!(bench.end(1, 2102), Departure::Indicate(PhyIndication::Idle));
}

#[test]
fn equal_powers_lock_nothing() {
    let mut bench = Bench::new(&[-60.0, -60.0]);
    bench.start(0, 0);
    bench.start(1, 0);
    assert!(bench.detect(0, 4) && !bench.detect(1, 4));
    assert_eq!(bench.radio.locked_on(), None);
    assert_eq!(bench.end(0, 2072), Departure::Unnoticed, "the other one is on the air");
    assert_eq!(bench.end(1, 2072), Departure::Indicate(PhyIndication::Idle), "no EIFS");
}

#[test]
fn receiver_that_lost_the_header_locks_on_the_next_frame() {
    let mut bench = Bench::new(&[-70.0, -55.0, -50.0]);
    bench.start(0, 0);
    bench.detect(0, 4);
    // Interference in the SIGNAL field only: -15 dB.
    bench.start(1, 16);
    bench.detect(1, 20);
    assert!(!bench.model.has_header(ME, Time(20_000)) || bench.radio.locked_on() == Some(0));
    bench.end(1, 25);
    assert!(!bench.model.has_header(ME, Time(25_000)), "lost");
    bench.start(2, 60);
    assert_eq!(bench.radio.locked_on(), None);
    bench.detect(2, 64);
    assert_eq!(bench.radio.locked_on(), Some(2));
    assert_eq!(bench.end(0, 2072), Departure::Unnoticed, "no EIFS");
    assert_eq!(bench.end(2, 2132), CLEAN);
}

#[test]
fn sender_forgets_what_it_receives() {
    let mut bench = Bench::new(&[-60.0, -60.0]);
    bench.start(0, 0);
    bench.model.on_transmit(&mut bench.radio, ME);
    bench.radio.transmit(Time(50_000));
    bench.detect(0, 4);
    assert!(bench.radio.has_carrier, "energy makes the medium busy");
    assert_eq!(bench.radio.locked_on(), None);
    bench.start(1, 40);
    bench.detect(1, 44);
    assert_eq!(bench.radio.locked_on(), None, "half-duplex");
    bench.end(0, 2072);
    assert_eq!(bench.end(1, 2112), Departure::Indicate(PhyIndication::Idle));
}

#[test]
fn energy_alone_makes_the_medium_busy_by_the_rule() {
    for (cca, dbm, busy) in [
        (CcaRule::Ns3, -84.0, true),
        (CcaRule::Ns3, -86.0, false),
        (CcaRule::Standard, -70.0, false),
        (CcaRule::Standard, -64.0, true),
    ] {
        let mut bench = Bench::new(&[dbm, dbm]);
        bench.model.cca = cca;
        bench.start(0, 0);
        bench.start(1, 0);
        assert_eq!(bench.detect(0, 4), busy, "{cca:?} at twice {dbm} dBm");
    }
}
