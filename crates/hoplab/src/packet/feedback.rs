//! What routers write into passing packets, and receivers send back.
//!
//! A sender puts a header on its segments, each router on the way may change it, the receiver puts what it found, or the
//! sum of it, into its acknowledgments. The bytes of both are the sender's controller's to say
//! (`CongestionControl::header_bytes`).

/// The header of a segment on its way.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Feedback {
    /// No router is asked for anything.
    #[default]
    None,
    /// TCP Muzha's IP option: the least level of the routers passed so far (muzha.md section 3).
    Mrai(u8),
    /// XCP's header.
    Xcp(XcpHeader),
    /// RCP's header.
    Rcp(RcpHeader),
}

/// XCP's congestion header (Katabi 2002, section 3.1; draft-falk-xcp-spec-03).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct XcpHeader {
    /// Which routers it is meant for.
    pub kind: XcpKind,
    /// The sender's smoothed round-trip time, in seconds; 0 if it knows none yet.
    pub rtt: f64,
    /// Time between two packets of the flow, in seconds; 0 if unknown.
    pub spacing: f64,
    /// Change of the flow's rate that this packet asks for, later that it is allowed, in bytes per second.
    pub delta: f64,
}

/// Members of the family of XCP. A router heeds the headers of its own kind only; the others are load to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum XcpKind {
    /// Capacity known.
    Base,
    /// XCP-b: capacity unknown.
    Blind,
    /// Capacity and available bandwidth estimated.
    Winf,
}

/// RCP's header.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RcpHeader {
    /// Which routers it is meant for.
    pub kind: RcpKind,
    /// The sender's latest round-trip time, in seconds; 0 if it knows none yet.
    pub rtt: f64,
    /// Least rate of the routers passed so far, in bytes per second; infinite before the first.
    pub rate: f64,
}

/// Members of the family of RCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RcpKind {
    /// Capacity known.
    Base,
    /// Capacity estimated.
    Winf,
}

/// What an acknowledgment carries back.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Echo {
    /// Nothing.
    #[default]
    None,
    /// A level of Muzha.
    Mrai(u8),
    /// Change of the rate allowed by the segments since the last acknowledgment, in bytes per second.
    Xcp(f64),
    /// Rate allowed, in bytes per second.
    Rcp(f64),
}

/// Which of several segments' levels an acknowledgment carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EchoRule {
    /// That of the segment that caused it.
    #[default]
    Latest,
    /// The least since the last acknowledgment.
    Least,
}

impl Feedback {
    /// What routers have decided so far, as bits.
    pub fn word(&self) -> u64 {
        match self {
            Feedback::None => 0,
            Feedback::Mrai(level) => u64::from(*level),
            Feedback::Xcp(header) => header.delta.to_bits(),
            Feedback::Rcp(header) => header.rate.to_bits(),
        }
    }
}

impl Echo {
    /// A segment with this header has arrived. Changes of a rate add up, whatever the rule; a rate is the latest.
    pub fn take_in(&mut self, feedback: Feedback, rule: EchoRule) {
        *self = match (feedback, *self) {
            (Feedback::None, so_far) => so_far,
            (Feedback::Mrai(level), Echo::Mrai(so_far)) if rule == EchoRule::Least => Echo::Mrai(level.min(so_far)),
            (Feedback::Mrai(level), _) => Echo::Mrai(level),
            (Feedback::Xcp(header), Echo::Xcp(so_far)) => Echo::Xcp(so_far + header.delta),
            (Feedback::Xcp(header), _) => Echo::Xcp(header.delta),
            (Feedback::Rcp(header), _) => Echo::Rcp(header.rate),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn echo(rule: EchoRule, feedback: &[Feedback]) -> Echo {
        let mut echo = Echo::None;
        for one in feedback {
            echo.take_in(*one, rule);
        }
        echo
    }

    #[test]
    fn levels_by_rule() {
        let levels = [Feedback::Mrai(4), Feedback::Mrai(2), Feedback::Mrai(5)];
        assert_eq!(echo(EchoRule::Latest, &levels), Echo::Mrai(5));
        assert_eq!(echo(EchoRule::Least, &levels), Echo::Mrai(2));
        assert_eq!(echo(EchoRule::Least, &[Feedback::None]), Echo::None);
    }

    #[test]
    fn changes_add_up_and_rates_replace() {
        let xcp = |delta| Feedback::Xcp(XcpHeader { kind: XcpKind::Base, rtt: 0.1, spacing: 0.01, delta });
        assert_eq!(echo(EchoRule::Latest, &[xcp(1500.0), xcp(-500.0)]), Echo::Xcp(1000.0));
        let rcp = |rate| Feedback::Rcp(RcpHeader { kind: RcpKind::Base, rtt: 0.1, rate });
        assert_eq!(echo(EchoRule::Least, &[rcp(2e4), rcp(5e4)]), Echo::Rcp(5e4));
    }
}
