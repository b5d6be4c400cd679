//! The table of transports: the names that a flow can use, as combinations of parts.
//!
//! A row has name, summary, parts and page. The parts are those of the flow (congestion control, recovery, admission to the
//! queue) and those of the nodes on its path. A variant of a protocol is a row with other parts, not another implementation.
//! Lists, messages and the schema's choices follow from the rows.

use crate::mac::handshake::HandshakeKind;
use crate::mac::observer::ObserverKind;
use crate::net::explicit_feedback::FeedbackKind;
use crate::packet::explicit::RcpKind;
use crate::transport::{AdHocKind, CongestionKind, Parts, Protocol, RecoveryKind, StackKind};

/// A transport.
#[derive(Debug, PartialEq)]
pub struct Transport {
    /// Its name: `flow.transport`.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// Its page below `docs/protocols`, without ending; variants share that of their family.
    pub page: &'static str,
    /// Datagrams, or the parts of a connection.
    pub protocol: Protocol,
    /// When a local packet may enter the queue.
    pub admission: Admission,
    /// What it needs at every node, unless a node has its own part.
    pub nodes: NodeParts,
}

/// What a transport needs at every node. Nodes have what the transports of all flows need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeParts {
    /// The handshake policy.
    pub handshake: HandshakeKind,
    /// The feedback router.
    pub feedback_router: Option<FeedbackKind>,
    /// Channel observers.
    pub observers: &'static [ObserverKind],
}

impl NodeParts {
    /// No parts beyond those of every node.
    pub const NONE: NodeParts = NodeParts { handshake: HandshakeKind::Plain, feedback_router: None, observers: &[] };

    const fn routed(by: FeedbackKind, observers: &'static [ObserverKind]) -> NodeParts {
        NodeParts { feedback_router: Some(by), observers, ..NodeParts::NONE }
    }
}

/// When a packet of a node's own may enter its interface queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// Enqueued at once; a full queue drops it.
    Push,
    /// When the MAC requests a packet and the queue is empty.
    Pull,
}

/// A transport without parts at the nodes, with a page of its own name.
const fn transport(name: &'static str, summary: &'static str, protocol: Protocol) -> Transport {
    Transport { name, summary, page: name, protocol, admission: Admission::Push, nodes: NodeParts::NONE }
}

const fn tcp(
    name: &'static str,
    summary: &'static str,
    congestion: CongestionKind,
    recovery: RecoveryKind,
) -> Transport {
    transport(name, summary, Protocol::Tcp(Parts { congestion, recovery }))
}

const fn stream(name: &'static str, summary: &'static str, congestion: CongestionKind) -> Transport {
    Transport { page: "stream", ..transport(name, summary, Protocol::Stream(congestion)) }
}

const fn stack(name: &'static str, summary: &'static str, page: &'static str, kind: StackKind) -> Transport {
    Transport { page, ..transport(name, summary, Protocol::Stack(kind)) }
}

/// All transports, in the order of documentation.
pub static TRANSPORTS: &[Transport] = &[
    transport("udp", "datagrams, never acknowledged or retransmitted", Protocol::Udp),
    tcp("tahoe", "slow start after every loss", CongestionKind::Tahoe, RecoveryKind::Tahoe),
    tcp("reno", "half the window after a loss, one repair per window", CongestionKind::Reno, RecoveryKind::Reno),
    tcp("new_reno", "Reno that repairs several losses of a window", CongestionKind::Reno, RecoveryKind::NewReno),
    tcp("sack", "Reno with selective acknowledgments", CongestionKind::Reno, RecoveryKind::Sack),
    tcp("vegas", "limits queued segments, measured by delay", CongestionKind::Vegas, RecoveryKind::Vegas),
    tcp("veno", "Reno that cuts less at a loss without a queue", CongestionKind::Veno, RecoveryKind::Sack),
    tcp(
        "westwood",
        "after a loss, the window that the measured bandwidth can use",
        CongestionKind::Westwood,
        RecoveryKind::Sack,
    ),
    Transport {
        page: "westwood",
        ..tcp(
            "westwood_plus",
            "Westwood with a sample per round trip, as in Linux",
            CongestionKind::WestwoodPlus,
            RecoveryKind::Sack,
        )
    },
    tcp("bic", "binary search for the window of the last loss", CongestionKind::Bic, RecoveryKind::Sack),
    tcp("cubic", "a cubic of the time since the last loss", CongestionKind::Cubic, RecoveryKind::Sack),
    tcp("compound", "Reno's window plus one that grows by delay", CongestionKind::Compound, RecoveryKind::Sack),
    transport("split_tcp", "proxies on the route accept segments and control congestion hop by hop", Protocol::Split),
    Transport {
        admission: Admission::Pull,
        nodes: NodeParts { handshake: HandshakeKind::SemiTcp, ..NodeParts::NONE },
        ..tcp(
            "semi_tcp",
            "no window: node after node says when there is room, in the RTS/CTS exchange",
            CongestionKind::SemiTcp,
            RecoveryKind::TimeoutOnly,
        )
    },
    tcp("tcp_ap", "NewReno, no faster than a packet moves four hops", CongestionKind::TcpAp, RecoveryKind::NewReno),
    tcp("elfn", "NewReno that stands by while there is no route", CongestionKind::Reno, RecoveryKind::Elfn),
    tcp("tcp_f", "NewReno that sleeps until the network reports a route", CongestionKind::Reno, RecoveryKind::TcpF),
    tcp(
        "atcp",
        "NewReno that cuts its window for marks only, not for losses",
        CongestionKind::Reno,
        RecoveryKind::Atcp,
    ),
    Transport {
        nodes: NodeParts::routed(FeedbackKind::Muzha, &[ObserverKind::Busy]),
        ..tcp("muzha", "routers advise how fast to speed up or slow down", CongestionKind::Muzha, RecoveryKind::Muzha)
    },
    Transport {
        nodes: NodeParts::routed(FeedbackKind::Xcp, &[]),
        ..tcp("xcp", "routers grant changes of the rate, knowing the capacity", CongestionKind::Xcp, RecoveryKind::Reno)
    },
    Transport {
        page: "xcp",
        nodes: NodeParts::routed(FeedbackKind::XcpB, &[]),
        ..tcp("xcp_b", "XCP whose routers judge by their queues alone", CongestionKind::XcpB, RecoveryKind::Reno)
    },
    Transport {
        page: "xcp",
        nodes: NodeParts::routed(FeedbackKind::XcpWinf, &[ObserverKind::Busy, ObserverKind::Winf]),
        ..tcp("xcp_winf", "XCP with rt-Winf's capacity and bandwidth", CongestionKind::XcpWinf, RecoveryKind::Reno)
    },
    Transport {
        nodes: NodeParts::routed(FeedbackKind::Rcp, &[]),
        ..transport("rcp", "routers offer one rate to all flows, knowing the capacity", Protocol::Rate(RcpKind::Base))
    },
    Transport {
        page: "rcp",
        nodes: NodeParts::routed(FeedbackKind::RcpWinf, &[ObserverKind::Winf]),
        ..transport(
            "rcp_winf",
            "RCP with rt-Winf's capacity, and a window of a round trip's worth",
            Protocol::Rate(RcpKind::Winf),
        )
    },
    Transport {
        nodes: NodeParts::routed(FeedbackKind::Atp, &[ObserverKind::Service]),
        ..transport("atp", "a rate from the delays of the nodes on the path", Protocol::AdHoc(AdHocKind::Atp))
    },
    transport("tpa", "blocks of segments, two or three in flight", Protocol::AdHoc(AdHocKind::Tpa)),
    Transport {
        nodes: NodeParts::routed(FeedbackKind::Wcp, &[ObserverKind::Neighborhood]),
        ..transport("wcp", "a rate that congestion of the neighborhood halves", Protocol::AdHoc(AdHocKind::Wcp))
    },
    stream("tcp_reno", "real TCP (handshake to FIN, RACK, PRR) with Reno", CongestionKind::Reno),
    stream("tcp_cubic", "real TCP (handshake to FIN, RACK, PRR) with CUBIC", CongestionKind::Cubic),
    Transport {
        page: "bbr",
        ..stream("tcp_bbr", "real TCP paced by a model of the path: BBRv1 of Linux", CongestionKind::Bbr)
    },
    Transport {
        page: "bbr3",
        ..stream("tcp_bbr3", "real TCP paced by a model that losses bound: BBRv3", CongestionKind::Bbr3)
    },
    Transport {
        page: "dctcp",
        ..stream("tcp_dctcp", "real TCP that cuts by the share of marked segments", CongestionKind::Dctcp)
    },
    Transport {
        page: "ledbat",
        ..stream("tcp_ledbat", "real TCP in the background: yields to a queue of others", CongestionKind::Ledbat)
    },
    Transport {
        page: "copa",
        ..stream("tcp_copa", "real TCP whose rate is the inverse of the queueing delay", CongestionKind::Copa)
    },
    stack("quinn_new_reno", "QUIC of quinn with its NewReno", "quinn", StackKind::QuinnNewReno),
    stack("quinn_cubic", "QUIC of quinn with its CUBIC", "quinn", StackKind::QuinnCubic),
    stack("quinn_bbr", "QUIC of quinn with its BBR, which is not paced by rate", "quinn", StackKind::QuinnBbr),
    stack(
        "smoltcp_reno",
        "TCP of smoltcp with its Reno, without SACK (builds with feature smoltcp)",
        "smoltcp",
        StackKind::SmoltcpReno,
    ),
    stack(
        "smoltcp_cubic",
        "TCP of smoltcp with its CUBIC, without SACK (builds with feature smoltcp)",
        "smoltcp",
        StackKind::SmoltcpCubic,
    ),
];

impl Transport {
    /// The transport of this name.
    pub fn named(name: &str) -> Option<&'static Transport> {
        TRANSPORTS.iter().find(|transport| transport.name == name)
    }

    /// Whether it is a real TCP connection, which counts bytes.
    pub fn is_stream(&self) -> bool {
        matches!(self.protocol, Protocol::Stream(_))
    }

    /// The stack that carries it, if it is not the engine's.
    pub fn stack(&self) -> Option<StackKind> {
        if let Protocol::Stack(kind) = self.protocol { Some(kind) } else { None }
    }

    /// Whether a finite transfer is a number of bytes.
    pub fn counts_bytes(&self) -> bool {
        self.is_stream() || self.stack().is_some()
    }

    /// Whether the network notifies its senders of routes that fail.
    pub fn wants_route_failures(&self) -> bool {
        match self.protocol {
            Protocol::Tcp(parts) => parts.recovery.wants_route_failures(),
            Protocol::AdHoc(kind) => kind.wants_route_failures(),
            _ => false,
        }
    }

    /// Whether the network notifies its senders of routes that are back.
    pub fn wants_route_restorations(&self) -> bool {
        matches!(self.protocol, Protocol::Tcp(parts) if parts.recovery.wants_route_restorations())
    }

    /// Whether it sends datagrams.
    pub fn is_udp(&self) -> bool {
        self.protocol == Protocol::Udp
    }
}
