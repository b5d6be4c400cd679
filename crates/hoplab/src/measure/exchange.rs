//! Exchanges for one packet: the frames that the stations of a link send, and how often radio errors corrupt them.

use crate::kernel::{RadioId, Span, Time};
use crate::mac::{ACK_BYTES, Mac, RTS_BYTES, Timing};
use crate::packet::{Frame, FrameKind, Modulation};
use crate::phy::{Errors, Medium, Survival};
use crate::scenario::Resolved;
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;

/// An exchange for one packet.
#[derive(Clone, Copy, Debug)]
pub struct Exchange {
    /// The sender of the packet.
    pub from: RadioId,
    /// Its receiver.
    pub to: RadioId,
    /// Length of the packet above the MAC, in bytes.
    pub bytes: u32,
}

impl Exchange {
    /// Its frames in their order, data of this modulation, without Duration fields: no station defers to them.
    pub fn frames(&self, macs: &[Mac], mode: Modulation) -> Vec<Frame> {
        let Exchange { from, to, bytes } = *self;
        let [own, other] = [from, to].map(|radio| macs[radio.index()].timing());
        let data = Frame {
            bytes: own.data_bytes(bytes),
            airtime: own.data_of(mode, bytes),
            modulation: mode,
            ..Frame::blank(FrameKind::Data, from, to)
        };
        let response = |kind, bytes, airtime, answered| Frame {
            bytes,
            airtime,
            modulation: other.response_mode(answered),
            ..Frame::blank(kind, to, from)
        };
        let ack = response(FrameKind::Ack, ACK_BYTES + other.ack_extra, other.ack_to(mode), mode);
        if !own.uses_rts(bytes) {
            return vec![data, ack];
        }
        let rts = Frame {
            bytes: RTS_BYTES,
            airtime: own.rts,
            modulation: own.basic,
            ..Frame::blank(FrameKind::Rts, from, to)
        };
        vec![rts, response(FrameKind::Cts, other.cts_bytes, other.cts_to(own.basic), own.basic), data, ack]
    }

    /// Whether a frame is one of it; the exchanges of a slot share no pair of radios.
    pub fn has(&self, frame: &Frame) -> bool {
        (frame.ta, frame.ra) == (self.from, self.to) || (frame.ta, frame.ra) == (self.to, self.from)
    }

    /// Its frames by modulation of the data, the fastest first.
    pub fn choices(&self, macs: &[Mac]) -> Vec<Vec<Frame>> {
        let modes = modes(macs[self.from.index()].timing());
        modes.into_iter().map(|mode| self.frames(macs, mode)).collect()
    }
}

/// Modulations of data of a station, the fastest first: `mac.data_rate` is the fastest of a rate control.
pub fn modes(timing: &Timing) -> Vec<Modulation> {
    if !timing.config.adapts_rate() {
        return vec![timing.unicast];
    }
    let mut modes = timing.modulations();
    modes.retain(|mode| mode.rate().0 <= timing.config.data_rate.0);
    modes.reverse();
    modes
}

/// The frames of exchanges that begin together, each after SIFS and at the time of its arrival, sorted by time; and when the
/// last one has arrived. `delay` is that between two radios.
pub fn played(
    macs: &[Mac],
    exchanges: &[Exchange],
    begin: Time,
    mut delay: impl FnMut(RadioId, RadioId) -> Span,
) -> (Vec<(Time, Frame)>, Time) {
    let (mut sent, mut end) = (Vec::new(), begin);
    for exchange in exchanges {
        let mut at = begin;
        for frame in exchange.frames(macs, macs[exchange.from.index()].timing().unicast) {
            sent.push((at, frame));
            let arrived = at + frame.airtime + delay(frame.ta, frame.ra);
            at = arrived + macs[frame.ra.index()].timing().sifs;
            end = end.max(arrived);
        }
    }
    sent.sort_by_key(|&(at, frame)| (at, frame.ta));
    (sent, end)
}

/// Losses of frames by radio errors alone at `now`, the least of all modulations: rows `[sender, receiver, bytes, RTS, CTS, DATA,
/// ACK]` by link and length of the packet, where there are any.
pub fn losses(macs: &[Mac], medium: &mut Medium, scenario: &Resolved, lengths: &BTreeSet<u32>, now: Time) -> Json {
    let Some(mut errors) = Errors::new(&scenario.radio, macs.len(), 0) else { return json!([]) };
    let powers = powers(medium, scenario.radio.rx_threshold.0, now);
    let mut rows = Vec::new();
    for (from, row) in (0..).map(RadioId).zip(&powers) {
        for &(to, there) in row {
            let Some(&(_, back)) = powers[to.index()].iter().find(|&&(radio, _)| radio == from) else { continue };
            for &bytes in lengths {
                let mut least = [f64::INFINITY; 4];
                for frame in (Exchange { from, to, bytes }).choices(macs).concat() {
                    let power = if frame.ta == from { there } else { back };
                    let loss = &mut least[place(frame.kind)];
                    *loss = loss.min(errors.least_loss(&frame, power, frame.ra, now));
                }
                let [rts, cts, data, ack] = least.map(|loss| if loss.is_finite() { loss } else { 0.0 });
                if rts + cts + data + ack > 0.0 {
                    rows.push(json!([from.0, to.0, bytes, rts, cts, data, ack]));
                }
            }
        }
    }
    Json::from(rows)
}

/// By radio: radios that receive it with at least this power at `now`, and the power.
fn powers(medium: &mut Medium, least: f64, now: Time) -> Vec<Vec<(RadioId, f64)>> {
    let radios = (0..medium.nodes() as u32).map(RadioId);
    let row = |radio| {
        let receivers = medium.receivers(radio, now).iter().filter(|receiver| receiver.power >= least);
        receivers.map(|receiver| (receiver.radio, receiver.power)).collect()
    };
    radios.map(row).collect()
}

/// Survival of the frames of links under each single interferer, at `now` (`phy::Survival`).
#[derive(Clone, Debug)]
pub struct Disturbed {
    /// The exchange.
    pub exchange: Exchange,
    /// Which of its frames: its place in an exchange with RTS.
    pub place: usize,
    /// Which modulation of the data, the fastest first.
    pub choice: usize,
    /// By interfering node: probability that the frame survives.
    pub survival: Vec<f64>,
}

/// Survival of all frames of some exchanges.
pub fn disturbed(
    macs: &[Mac],
    medium: &mut Medium,
    scenario: &Resolved,
    exchanges: &[Exchange],
    now: Time,
) -> Vec<Disturbed> {
    let mut model = Survival::new(&scenario.radio);
    let nodes = macs.len();
    let mut power = vec![vec![0.0; nodes]; nodes];
    for (row, receivers) in power.iter_mut().zip(powers(medium, 0.0, now)) {
        for (node, watts) in receivers {
            row[node.index()] = watts;
        }
    }
    let mut found = Vec::new();
    for &exchange in exchanges {
        for (choice, frames) in exchange.choices(macs).iter().enumerate() {
            for frame in frames {
                let own = power[frame.ta.index()][frame.ra.index()];
                let survival = power.iter().map(|row| model.of(frame, own, row[frame.ra.index()])).collect();
                found.push(Disturbed { exchange, place: place(frame.kind), choice, survival });
            }
        }
    }
    found
}

/// Place of a kind of frame in an exchange.
fn place(kind: FrameKind) -> usize {
    match kind {
        FrameKind::Rts => 0,
        FrameKind::Cts => 1,
        FrameKind::Data => 2,
        FrameKind::Ack => 3,
        FrameKind::Aggregate | FrameKind::BlockAck | FrameKind::BlockAckRequest | FrameKind::CfEnd => {
            unreachable!("exchanges are of single packets")
        }
    }
}
