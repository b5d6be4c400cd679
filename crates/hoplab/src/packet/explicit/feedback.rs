//! Explicit feedback: headers that routers change in segments, and what acknowledgments return of them.
//!
//! A sender adds a header to its segments, each router on the route may change it, and the receiver returns the header, or
//! the sum of several, in its acknowledgments. The sender's controller states the bytes of both.

use super::rcp::RcpHeader;
use super::wcp::WcpHeader;
use super::xcp::XcpHeader;

/// Feedback header of a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Feedback {
    /// No header.
    #[default]
    None,
    /// TCP Muzha's IP option: the minimum level of the routers passed so far (docs/specs/muzha.md section 3).
    Mrai(u8),
    /// XCP's header.
    Xcp(XcpHeader),
    /// RCP's header.
    Rcp(RcpHeader),
    /// ATP's header: the largest delay of the nodes passed so far, in seconds.
    Atp(f64),
    /// WCP's header.
    Wcp(WcpHeader),
}

/// Feedback that an acknowledgment returns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Echo {
    /// Nothing.
    #[default]
    None,
    /// Level of TCP Muzha.
    Mrai(u8),
    /// Allowed change of the rate: sum over the segments since the last acknowledgment, in bytes per second.
    Xcp(f64),
    /// Allowed rate, in bytes per second.
    Rcp(f64),
    /// TPA: which segments have arrived of those after the acknowledged ones, the first in the lowest bit.
    Arrived(u64),
    /// WCP.
    Wcp {
        /// Whether the path crosses a congested neighborhood.
        is_congested: bool,
        /// Longest control interval on the path, in seconds.
        interval: f64,
    },
}

/// Level that an acknowledgment of several segments returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EchoRule {
    /// Level of the segment that caused it.
    #[default]
    Latest,
    /// Minimum level since the last acknowledgment.
    Least,
}

impl Feedback {
    /// The decision of the routers so far, as bits for fingerprints.
    pub fn word(&self) -> u64 {
        match self {
            Feedback::None => 0,
            Feedback::Mrai(level) => u64::from(*level),
            Feedback::Xcp(header) => header.delta.to_bits(),
            Feedback::Rcp(header) => header.rate.to_bits(),
            Feedback::Atp(delay) => delay.to_bits(),
            Feedback::Wcp(header) => header.interval.to_bits() ^ u64::from(header.is_congested),
        }
    }
}

impl Echo {
    /// Adds the header of a received segment. Changes of a rate are summed under every rule; of rates, the latest counts.
    pub fn add(&mut self, feedback: Feedback, rule: EchoRule) {
        *self = match (feedback, *self) {
            // ATP's receiver returns reports instead.
            (Feedback::None | Feedback::Atp(_), so_far) => so_far,
            (Feedback::Mrai(level), Echo::Mrai(so_far)) if rule == EchoRule::Least => Echo::Mrai(level.min(so_far)),
            (Feedback::Mrai(level), _) => Echo::Mrai(level),
            (Feedback::Xcp(header), Echo::Xcp(so_far)) => Echo::Xcp(so_far + header.delta),
            (Feedback::Xcp(header), _) => Echo::Xcp(header.delta),
            (Feedback::Rcp(header), _) => Echo::Rcp(header.rate),
            (Feedback::Wcp(WcpHeader { is_congested, interval, .. }), _) => Echo::Wcp { is_congested, interval },
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::explicit::{RcpKind, XcpKind};

    fn echo(rule: EchoRule, feedback: &[Feedback]) -> Echo {
        let mut echo = Echo::None;
        for one in feedback {
            echo.add(*one, rule);
        }
        echo
    }

    #[test]
    fn echo_returns_level_by_rule() {
        let levels = [Feedback::Mrai(4), Feedback::Mrai(2), Feedback::Mrai(5)];
        assert_eq!(echo(EchoRule::Latest, &levels), Echo::Mrai(5));
        assert_eq!(echo(EchoRule::Least, &levels), Echo::Mrai(2));
        assert_eq!(echo(EchoRule::Least, &[Feedback::None]), Echo::None);
    }

    #[test]
    fn rate_changes_sum_and_rates_replace() {
        let xcp = |delta| Feedback::Xcp(XcpHeader { kind: XcpKind::Base, rtt: 0.1, spacing: 0.01, delta });
        assert_eq!(echo(EchoRule::Latest, &[xcp(1500.0), xcp(-500.0)]), Echo::Xcp(1000.0));
        let rcp = |rate| Feedback::Rcp(RcpHeader { kind: RcpKind::Base, rtt: 0.1, rate });
        assert_eq!(echo(EchoRule::Least, &[rcp(2e4), rcp(5e4)]), Echo::Rcp(5e4));
    }
}
