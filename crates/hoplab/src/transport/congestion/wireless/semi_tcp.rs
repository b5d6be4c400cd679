//! Semi-TCP: no congestion window. The link layer pulls segments from the source, and neighbors signal congestion.
//!
//! # Model
//! The controller decides nothing: memory alone limits what may be outstanding, whatever is acknowledged or lost. The queue
//! of the source pulls the flow, segment by segment (`net/link`). Relays signal congestion in the RTS/CTS exchange
//! (`mac/handshake`).
//!
//! # Source
//! Cai, Jiang, Guan, Yu 2013, section 3.1.
//!
//! # Deviations
//! There is no SYN: the first segment carries data, as in the runs of the paper.
//!
//! # Parameters
//! Table `[semi_tcp]`; `max_outstanding` is the limit of memory.

use crate::transport::congestion::control::{CongestionControl, Needs};
use crate::transport::congestion::event::{Loss, NewAck};
use crate::transport::congestion::setup::{NoParameters, Setup};

/// No window.
#[derive(Clone, Copy, Debug)]
pub struct SemiTcp;

impl SemiTcp {
    /// Before the connection is established.
    pub fn new(_setup: &Setup, _config: &NoParameters) -> SemiTcp {
        SemiTcp
    }
}

/// More segments than memory allows: the window is no limit.
const NO_WINDOW: f64 = 4_294_967_295.0;

impl CongestionControl for SemiTcp {
    #[inline]
    fn cwnd(&self) -> f64 {
        NO_WINDOW
    }

    fn set_cwnd(&mut self, _cwnd: f64) {}

    fn on_ack(&mut self, _ack: &NewAck<'_>) {}

    fn on_loss(&mut self, _loss: &Loss) {}

    fn needs(&self) -> Needs {
        Needs { syn_carries_data: true, ..Needs::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::TcpConfig;
    use crate::transport::congestion::event::LossSignal;
    use crate::transport::congestion::testing::loss;

    #[test]
    fn no_event_moves_the_window() {
        let mut none = SemiTcp::new(&TcpConfig::default().setup(512), &NoParameters {});
        none.on_loss(&loss(LossSignal::Timeout, 20.0, 20));
        none.set_cwnd(1.0);
        assert!(none.cwnd() >= 4e9 && none.ssthresh().is_infinite());
        assert!(none.needs().syn_carries_data && !none.needs().omits_headers);
    }
}
