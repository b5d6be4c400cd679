//! The packet in service: its next frame, its retries, and whether an indication to the layer above is pending.
//!
//! A MAC serves one packet at a time (ns-2.35 `Mac802_11::pktTx_`, `pktRTS_`). A packet whose size reaches
//! `mac.rts_threshold` is sent after RTS and CTS. Failures count against two limits: those of an RTS or of short data
//! against `ssrl`, those of long data against `slrl` (IEEE 802.11-1999 section 9.2.5.3). It sets no timer.

use crate::kernel::RadioId;
use crate::packet::{Frame, PacketId};

/// What a station has to send itself.
#[derive(Debug, Default)]
pub(in crate::mac::dcf) struct Outgoing {
    /// The packet in service.
    pub(in crate::mac::dcf) service: Option<Service>,
    /// Retry counters.
    pub(in crate::mac::dcf) retries: Retries,
    sequence: u16,
    /// A `MacOut::Ready` to the layer above is pending.
    pub(in crate::mac::dcf) owes_ready: bool,
    /// The neighbor whose CTS has begun the TXOP, where a handshake policy decides on grants.
    pub(in crate::mac::dcf) granted_by: Option<RadioId>,
    /// Data packets that have been sent since.
    pub(in crate::mac::dcf) sent_in_turn: u32,
}

/// A packet that the MAC works on.
#[derive(Clone, Copy, Debug)]
pub(in crate::mac::dcf) struct Service {
    /// Its data frame.
    pub(in crate::mac::dcf) frame: Frame,
    /// Which.
    pub(in crate::mac::dcf) packet: PacketId,
    /// What is sent next for it, or was sent last.
    pub(in crate::mac::dcf) next: NextFrame,
    /// It carries a routing message or ARP.
    pub(in crate::mac::dcf) is_control: bool,
    /// It is sent after RTS and CTS.
    pub(in crate::mac::dcf) uses_rts: bool,
    /// It is sent after a CTS to itself.
    pub(in crate::mac::dcf) uses_self_cts: bool,
    /// Failures of its data frame count as short retries.
    pub(in crate::mac::dcf) is_short: bool,
    /// Attempts of its data frame that have failed, if a rate control counts them.
    pub(in crate::mac::dcf) attempts: u32,
    /// Its next hop has received it, whether or not the ACK has arrived.
    pub(in crate::mac::dcf) reached_next_hop: bool,
    /// Probes that are sent before it.
    pub(in crate::mac::dcf) probes: u32,
}

/// The next frame of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::mac::dcf) enum NextFrame {
    /// RTS, after a backoff.
    Rts {
        /// It repeats an RTS.
        is_retry: bool,
    },
    /// CTS to itself, after a backoff.
    SelfCts,
    /// Data, SIFS after the CTS.
    GrantedData,
    /// Data without RTS and CTS, after a backoff.
    Data,
}

/// Retry counters of IEEE 802.11-1999 section 9.2.4: SSRC and SLRC.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::mac::dcf) struct Retries {
    short: u32,
    long: u32,
}

impl Outgoing {
    /// The sequence number of the next packet.
    pub(in crate::mac::dcf) fn next_sequence(&mut self) -> u16 {
        self.sequence = self.sequence.wrapping_add(1);
        self.sequence
    }

    /// No data followed a CTS: the packet in service needs another RTS, or CTS to itself.
    pub(in crate::mac::dcf) fn revoke_grant(&mut self) {
        if let Some(service) = &mut self.service
            && service.next == NextFrame::GrantedData
        {
            service.next = service.first();
        }
    }

    /// The data packet in service: no control packet.
    pub(in crate::mac::dcf) fn data(&self) -> Option<&Service> {
        self.service.as_ref().filter(|service| !service.is_control)
    }

    /// The control packet in service.
    pub(in crate::mac::dcf) fn control(&self) -> Option<&Service> {
        self.service.as_ref().filter(|service| service.is_control)
    }
}

impl Service {
    /// What is sent first for it, after a backoff.
    pub(in crate::mac::dcf) fn first(&self) -> NextFrame {
        if self.uses_rts {
            NextFrame::Rts { is_retry: false }
        } else if self.uses_self_cts {
            NextFrame::SelfCts
        } else {
            NextFrame::Data
        }
    }

    /// Whether RTS or data are sent after a backoff, as no CTS has been received.
    pub(in crate::mac::dcf) fn contends(&self) -> bool {
        self.next != NextFrame::GrantedData
    }
}

impl Retries {
    /// Short retry counter (SSRC).
    #[cfg(test)]
    pub(in crate::mac::dcf) fn short(self) -> u32 {
        self.short
    }

    /// A transmission has failed that counts as short, or as long. Whether `limit` is reached, which resets the counter.
    pub(in crate::mac::dcf) fn fail(&mut self, is_short: bool, limit: u32) -> bool {
        let count = self.counter(is_short);
        *count += 1;
        let is_last = *count >= limit;
        if is_last {
            *count = 0;
        }
        is_last
    }

    /// One more short retry, whatever the limit.
    pub(in crate::mac::dcf) fn add_short(&mut self) {
        self.short += 1;
    }

    /// A transmission that counts as short, or as long, has succeeded.
    pub(in crate::mac::dcf) fn succeed(&mut self, is_short: bool) {
        *self.counter(is_short) = 0;
    }

    fn counter(&mut self, is_short: bool) -> &mut u32 {
        if is_short { &mut self.short } else { &mut self.long }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_limit_counts_short_and_long_apart() {
        let mut retries = Retries::default();
        assert!(!retries.fail(true, 3) && !retries.fail(true, 3) && !retries.fail(false, 2));
        assert!(retries.fail(false, 2) && retries.fail(true, 3));
        assert!(!retries.fail(true, 2) && !retries.fail(false, 2), "the limit has reset the counters");
        retries.succeed(true);
        assert!(!retries.fail(true, 2) && retries.fail(false, 2));
        assert!(retries.fail(true, 1), "a limit of one permits no retry");
    }
}
