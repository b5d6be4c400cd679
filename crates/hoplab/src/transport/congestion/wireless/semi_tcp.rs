//! Semi-TCP: no congestion window. The node below says when there is room, and neighbors tell each other of congestion.
//!
//! # Model
//! It decides nothing: what may be outstanding is the limit of memory, whatever is acknowledged or lost. The flow is
//! pulled, segment by segment, by the queue of its source (`net/link`), and relays hold each other back in the RTS/CTS
//! exchange (`mac/handshake`).
//!
//! # Source
//! Cai, Jiang, Guan, Yu 2013, section 3.1.
//!
//! # Deviations
//! No segment opens the connection: the first one carries data, as in the runs of the paper.
//!
//! # Parameters
//! Table `[semi_tcp]`; `max_outstanding` is the limit of memory.

use crate::packet::SegNo;
use crate::transport::congestion::control::CongestionControl;
use crate::transport::congestion::event::{Loss, NewAck};
use crate::transport::congestion::setup::{NoParameters, Setup};

/// No window.
#[derive(Clone, Copy, Debug)]
pub struct SemiTcp;

impl SemiTcp {
    /// Before the connection opens.
    pub fn new(_setup: &Setup, _config: &NoParameters) -> SemiTcp {
        SemiTcp
    }
}

/// Segments that no limit of memory exceeds: the window never binds.
const NO_WINDOW: f64 = 4_294_967_295.0;

impl CongestionControl for SemiTcp {
    #[inline]
    fn cwnd(&self) -> f64 {
        NO_WINDOW
    }

    fn ssthresh(&self) -> f64 {
        f64::INFINITY
    }

    fn on_ack(&mut self, _ack: &NewAck<'_>) {}

    fn on_loss(&mut self, _loss: &Loss) {}

    fn set_cwnd(&mut self, _cwnd: f64) {}

    fn syn_carries_data(&self) -> bool {
        true
    }

    fn ip_bytes(&self, _seq: SegNo, payload: u32, header: u32) -> u32 {
        payload + header
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::TcpConfig;
    use crate::transport::congestion::event::LossSignal;
    use crate::transport::congestion::testing::loss;

    #[test]
    fn nothing_moves_it() {
        let mut none = SemiTcp::new(&Setup::new(&TcpConfig::default(), 512), &NoParameters {});
        none.on_loss(&loss(LossSignal::Timeout, 20.0, 20));
        none.set_cwnd(1.0);
        assert!(none.cwnd() >= 4e9 && none.ssthresh().is_infinite() && none.syn_carries_data());
        assert_eq!((none.ip_bytes(0, 512, 40), none.ip_bytes(7, 512, 40)), (552, 552));
    }
}
