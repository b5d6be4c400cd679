//! Reception by thresholds and pairwise comparison of powers, as in ns-2.
//!
//! # Model
//! A receiver locks on the first frame that it senses. Each later one is compared with that frame alone: if the first is
//! `capture_ratio` times stronger, it survives (capture) and the later one is ignored; otherwise both are lost
//! (collision), and the receiver stays locked on the one that ends later. Interference is not cumulative, and a strong
//! frame never displaces a weak one. A frame below `rx_threshold` is sensed but not decoded. A frame cut short by switching its sender off
//! cannot be decoded, and keeps its receivers busy to its nominal end.
//!
//! # Source
//! ns-2.35 `Mac802_11::recv`, `capture` and `collision`, `WirelessPhy::sendUp` (phy.md section 3).
//!
//! # Deviations
//! None known.
//!
//! # Parameters
//! `radio.rx_threshold`, `radio.cs_threshold`, `radio.capture_ratio`.

use super::model::{Arrival, Departure, ReceptionModel, Signal};
use crate::kernel::{RadioId, Time};
use crate::phy::config::RadioConfig;
use crate::phy::neighbors::Receiver;
use crate::phy::receiver::{PhyIndication, Radio, Reception};

/// The model without random parts.
#[derive(Clone, Copy, Debug)]
pub struct Pairwise {
    rx_threshold: f64,
    capture_ratio: f64,
}

impl Pairwise {
    pub(in crate::phy) fn new(config: &RadioConfig) -> Pairwise {
        Pairwise { rx_threshold: config.rx_threshold.0, capture_ratio: config.capture_ratio }
    }
}

impl ReceptionModel for Pairwise {
    const ADDS_INTERFERENCE: bool = false;

    #[inline]
    fn on_start(&mut self, radio: &mut Radio, signal: &Signal<'_>, receiver: &Receiver, now: Time) -> Arrival {
        if radio.is_off() {
            return Arrival::Unnoticed;
        }
        let (id, power, end) = (signal.transmission, receiver.power, now.later(signal.airtime));
        if radio.locked_on().is_none() {
            let is_decodable = power >= self.rx_threshold && !radio.is_transmitting(now) && !signal.is_cut;
            radio.lock_on(id, power, end, is_decodable);
            return Arrival::Busy;
        }
        let (locked_power, locked_end) = radio.lock();
        if locked_power >= self.capture_ratio * power {
            return Arrival::Ignored;
        }
        radio.collide();
        if end > locked_end {
            radio.replace_lock(id, power, end);
        }
        Arrival::Unnoticed
    }

    #[inline]
    fn on_end(&mut self, radio: &mut Radio, signal: &Signal<'_>, own: RadioId, now: Time) -> Departure {
        if !radio.is_locked_on(signal.transmission) {
            return Departure::Unnoticed;
        }
        // A broadcast that cannot be decoded is a frame for other stations.
        let ra = signal.ra;
        if ra == own || ra.is_broadcast() && radio.outcome(now) == Reception::Clean {
            return Departure::Indicate(PhyIndication::RxEnd(radio.outcome(now)));
        }
        Departure::Overheard
    }

    fn on_switch(&mut self, _: &mut Radio, _: RadioId, _: bool) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Span;
    use crate::packet::{Frame, FrameKind};

    /// Starts a frame for node 0 with this power at its radio.
    fn start(radio: &mut Radio, at: u64, id: u32, power: f64, airtime: u64) -> Arrival {
        let frame = Frame { airtime: Span(airtime), ..Frame::blank(FrameKind::Data, RadioId(1), RadioId(0)) };
        let signal = Signal::new(id, &frame, 0, false);
        let mut model = Pairwise::new(&RadioConfig::default());
        model.on_start(radio, &signal, &Receiver::new(RadioId(0), 1.0, power), Time(at))
    }

    #[test]
    fn first_frame_survives_later_one_10_db_weaker() {
        let mut radio = Radio::default();
        assert_eq!(start(&mut radio, 0, 1, 1e-9, 100), Arrival::Busy);
        assert_eq!(start(&mut radio, 10, 2, 1e-10, 500), Arrival::Ignored);
        assert!(radio.is_locked_on(1));
        assert_eq!(radio.outcome(Time(100)), Reception::Clean);
    }

    #[test]
    fn strong_later_frame_collides_with_weak_first_one() {
        let mut radio = Radio::default();
        start(&mut radio, 0, 1, 1.6e-11, 100);
        assert_eq!(start(&mut radio, 10, 2, 1e-8, 500), Arrival::Unnoticed);
        assert!(radio.is_locked_on(2), "it ends later");
        assert_eq!(radio.outcome(Time(510)), Reception::Collided);
    }

    #[test]
    fn radio_stays_locked_on_first_of_frames_that_end_together() {
        let mut radio = Radio::default();
        start(&mut radio, 0, 1, 1e-9, 100);
        start(&mut radio, 50, 2, 1e-9, 50);
        assert!(radio.is_locked_on(1));
    }

    #[test]
    fn frame_that_starts_during_own_transmission_is_undecodable() {
        for (at, reception) in [(40, Reception::Errored), (50, Reception::Clean)] {
            let mut radio = Radio::default();
            radio.transmit(Time(50));
            start(&mut radio, at, 1, 1e-9, 100);
            assert_eq!(radio.outcome(Time(at + 100)), reception);
        }
    }

    #[test]
    fn frame_below_rx_threshold_is_undecodable() {
        let mut radio = Radio::default();
        start(&mut radio, 0, 1, 3.6e-10, 100);
        assert_eq!(radio.outcome(Time(100)), Reception::Errored);
    }
}
