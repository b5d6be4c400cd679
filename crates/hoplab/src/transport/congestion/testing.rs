//! Events for unit tests of congestion controls.

use super::event::{Loss, LossSignal, NewAck};
use super::setup::Setup;
use crate::kernel::Time;
use crate::packet::{Ack, SegNo};
use crate::transport::config::TcpConfig;

pub(crate) fn ack(packet: &Ack, in_flight: u32) -> NewAck<'_> {
    let acked = packet.cumulative;
    let snd_nxt = acked + 1 + SegNo::from(in_flight);
    NewAck {
        now: Time::ZERO,
        acked,
        newly_acked: 1,
        snd_nxt,
        in_flight,
        rtt: None,
        srtt: None,
        was_full: true,
        has_news: false,
        packet,
    }
}

pub(crate) fn loss(sign: LossSignal, window: f64, flight: u32) -> Loss {
    Loss { now: Time::ZERO, sign, window, flight, is_repeated: false }
}

/// What a controller of the Linux profile is made from.
pub(crate) fn linux() -> Setup {
    Setup::new(&TcpConfig::ns2_linux(), 1460).with_window(128)
}

/// Feeds `count` acknowledgments of a segment each to `grow`, with the window full.
pub(crate) fn feed(count: u32, mut grow: impl FnMut(&NewAck<'_>)) {
    let packet = Ack::plain(1, Time::ZERO);
    for _ in 0..count {
        grow(&ack(&packet, 1));
    }
}
