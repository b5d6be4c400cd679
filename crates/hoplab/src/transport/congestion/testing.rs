//! Events and setups for unit tests of congestion controls.

use super::event::{Loss, LossSignal, NewAck};
use super::setup::Setup;
use crate::kernel::Time;
use crate::packet::{Ack, SegNo};
use crate::transport::config::TcpConfig;

/// An acknowledgment of one new segment that leaves `in_flight` segments.
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
        is_cwnd_limited: true,
        has_new_sacks: false,
        packet,
    }
}

/// A loss of a data segment that was sent once.
pub(crate) fn loss(signal: LossSignal, window: f64, flight_size: u32) -> Loss {
    Loss { now: Time::ZERO, signal, window, flight_size, is_retransmission: false, is_syn: false }
}

/// The setup of a controller in the Linux profile.
pub(crate) fn linux() -> Setup {
    TcpConfig::ns2_linux().setup(1460).with_window(128)
}

/// Feeds `count` acknowledgments of a segment each to `grow`, from a sender that is limited by `cwnd`.
pub(crate) fn feed(count: u32, mut grow: impl FnMut(&NewAck<'_>)) {
    let packet = Ack::plain(1, Time::ZERO);
    for _ in 0..count {
        grow(&ack(&packet, 1));
    }
}
