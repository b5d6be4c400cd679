//! Reception with cumulative interference at the radios of a run: [`Sinr`] with fading and errors.

use super::impaired::Impairments;
use super::model::{Arrival, Departure, ReceptionModel, Signal};
use super::sinr::Sinr;
use crate::kernel::{RadioId, Time};
use crate::phy::config::RadioConfig;
use crate::phy::neighbors::Receiver;
use crate::phy::receiver::{PhyIndication, Radio, Reception};

/// The model of a run.
#[derive(Debug)]
pub struct Cumulative {
    sinr: Sinr,
    impairments: Impairments,
    rx_threshold: f64,
}

impl Cumulative {
    pub(in crate::phy) fn new(config: &RadioConfig, impairments: Impairments, nodes: usize, seed: u64) -> Cumulative {
        Cumulative { sinr: Sinr::new(config, nodes, seed), impairments, rx_threshold: config.rx_threshold.0 }
    }
}

impl ReceptionModel for Cumulative {
    const ADDS_INTERFERENCE: bool = true;

    fn on_start(&mut self, radio: &mut Radio, signal: &Signal<'_>, receiver: &Receiver, now: Time) -> Arrival {
        let power = self.impairments.power(signal, receiver, now);
        let was_busy = radio.is_receiving();
        let cannot_lock = radio.is_transmitting(now) || radio.is_off();
        let started = self.sinr.on_start(signal, power, receiver.radio, now, cannot_lock);
        if radio.is_off() {
            return Arrival::Unnoticed;
        }
        if started.is_locked {
            radio.lock_on(signal.transmission, 0.0, now.later(signal.airtime), !signal.is_cut);
            if power >= self.rx_threshold && self.impairments.corrupt(signal, power, receiver.radio, now) {
                radio.corrupt();
            }
        }
        radio.has_carrier = started.is_busy;
        if started.is_busy && !was_busy { Arrival::Busy } else { Arrival::Unnoticed }
    }

    fn on_end(&mut self, radio: &mut Radio, signal: &Signal<'_>, own: RadioId, now: Time) -> Departure {
        let was_busy = radio.is_receiving();
        let (reception, is_busy) = self.sinr.on_end(signal, own, now);
        let is_for_it = signal.ra == own;
        let missed = |is_idle| Departure::Indicate(PhyIndication::Missed { is_idle });
        if radio.is_off() {
            return if is_for_it { missed(false) } else { Departure::Unnoticed };
        }
        radio.has_carrier = is_busy;
        let is_idle = was_busy && !is_busy;
        match reception {
            // What happened at this node prevails: it transmitted, or the error model corrupted the frame.
            Some(reception) => Departure::Indicate(PhyIndication::RxEnd(match radio.outcome(now) {
                Reception::Clean => reception,
                own => own,
            })),
            None if is_for_it => missed(is_idle),
            None if is_idle => Departure::Indicate(PhyIndication::Idle),
            None => Departure::Unnoticed,
        }
    }

    fn on_switch(&mut self, radio: &mut Radio, own: RadioId, is_on: bool) {
        radio.has_carrier = self.sinr.switch(own, is_on);
    }
}
