//! The table of transports: the names that a flow can use, as combinations of parts.
//!
//! A row has name, title, summary, group, parts and page. The parts are those of the flow (congestion control, recovery, admission to the
//! queue) and those of the nodes on its path. A variant of a protocol is a row with other parts, not another implementation.
//! Lists, messages, the schema's choices, titles in figures and the menus of the laboratory follow from the rows.

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
    /// Its name in legends and reports, as its paper writes it.
    pub title: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// What it shares with others in lists and menus.
    pub group: Group,
    /// Its page below `docs/protocols`, without ending; variants share that of their family.
    pub page: &'static str,
    /// Datagrams, or the parts of a connection.
    pub protocol: Protocol,
    /// When a local packet may enter the queue.
    pub admission: Admission,
    /// What it needs at every node, unless a node has its own part.
    pub nodes: NodeParts,
}

/// What transports of a group have in common: a heading in lists and menus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// No acknowledgments.
    Datagrams,
    /// Senders that judge by losses and delay.
    LossAndDelay,
    /// Made for several wireless hops.
    MultiHop,
    /// Routers state a rate.
    ExplicitFeedback,
    /// Byte streams from handshake to FIN.
    RealTcp,
    /// Stacks of other projects.
    Library,
}

impl Group {
    /// All groups, in the order of documentation.
    pub const ALL: [Group; 6] = [
        Group::Datagrams,
        Group::LossAndDelay,
        Group::MultiHop,
        Group::ExplicitFeedback,
        Group::RealTcp,
        Group::Library,
    ];

    /// Its heading.
    pub fn title(self) -> &'static str {
        match self {
            Group::Datagrams => "datagrams",
            Group::LossAndDelay => "loss and delay",
            Group::MultiHop => "multi-hop wireless",
            Group::ExplicitFeedback => "explicit feedback",
            Group::RealTcp => "real TCP connections",
            Group::Library => "libraries",
        }
    }
}

/// How two ends of a flow converse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversation {
    /// Nothing comes back.
    Datagrams,
    /// A sender of numbered segments and a receiver that acknowledges them, as the one-way agents of ns-2.
    OneWay,
    /// Two equal ends that exchange bytes from handshake to close.
    Connection,
}

impl Conversation {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Conversation::Datagrams => "datagrams",
            Conversation::OneWay => "one_way",
            Conversation::Connection => "connection",
        }
    }
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
const fn transport(
    name: &'static str,
    title: &'static str,
    summary: &'static str,
    group: Group,
    protocol: Protocol,
) -> Transport {
    Transport { name, title, summary, group, page: name, protocol, admission: Admission::Push, nodes: NodeParts::NONE }
}

const fn tcp(
    name: &'static str,
    title: &'static str,
    summary: &'static str,
    congestion: CongestionKind,
    recovery: RecoveryKind,
) -> Transport {
    transport(name, title, summary, Group::LossAndDelay, Protocol::Tcp(Parts { congestion, recovery }))
}

const fn stream(
    name: &'static str,
    title: &'static str,
    summary: &'static str,
    congestion: CongestionKind,
) -> Transport {
    Transport { page: "stream", ..transport(name, title, summary, Group::RealTcp, Protocol::Stream(congestion)) }
}

const fn stack(
    name: &'static str,
    title: &'static str,
    summary: &'static str,
    page: &'static str,
    kind: StackKind,
) -> Transport {
    Transport { page, ..transport(name, title, summary, Group::Library, Protocol::Stack(kind)) }
}

/// All transports, in the order of documentation.
pub static TRANSPORTS: &[Transport] = &[
    transport("udp", "UDP", "datagrams, never acknowledged or retransmitted", Group::Datagrams, Protocol::Udp),
    tcp("tahoe", "Tahoe", "slow start after every loss", CongestionKind::Tahoe, RecoveryKind::Tahoe),
    tcp(
        "reno",
        "Reno",
        "half the window after a loss, one repair per window",
        CongestionKind::Reno,
        RecoveryKind::Reno,
    ),
    tcp(
        "new_reno",
        "NewReno",
        "Reno that repairs several losses of a window",
        CongestionKind::Reno,
        RecoveryKind::NewReno,
    ),
    tcp("sack", "SACK", "Reno with selective acknowledgments", CongestionKind::Reno, RecoveryKind::Sack),
    tcp("vegas", "Vegas", "limits queued segments, measured by delay", CongestionKind::Vegas, RecoveryKind::Vegas),
    tcp("veno", "Veno", "Reno that cuts less at a loss without a queue", CongestionKind::Veno, RecoveryKind::Sack),
    tcp(
        "westwood",
        "Westwood",
        "after a loss, the window that the measured bandwidth can use",
        CongestionKind::Westwood,
        RecoveryKind::Sack,
    ),
    Transport {
        page: "westwood",
        ..tcp(
            "westwood_plus",
            "Westwood+",
            "Westwood with a sample per round trip, as in Linux",
            CongestionKind::WestwoodPlus,
            RecoveryKind::Sack,
        )
    },
    tcp("bic", "BIC", "binary search for the window of the last loss", CongestionKind::Bic, RecoveryKind::Sack),
    tcp("cubic", "CUBIC", "a cubic of the time since the last loss", CongestionKind::Cubic, RecoveryKind::Sack),
    tcp(
        "compound",
        "Compound",
        "Reno's window plus one that grows by delay",
        CongestionKind::Compound,
        RecoveryKind::Sack,
    ),
    transport(
        "split_tcp",
        "Split TCP",
        "proxies on the route accept segments and control congestion hop by hop",
        Group::MultiHop,
        Protocol::Split,
    ),
    Transport {
        group: Group::MultiHop,
        admission: Admission::Pull,
        nodes: NodeParts { handshake: HandshakeKind::SemiTcp, ..NodeParts::NONE },
        ..tcp(
            "semi_tcp",
            "Semi-TCP",
            "no window: node after node says when there is room, in the RTS/CTS exchange",
            CongestionKind::SemiTcp,
            RecoveryKind::TimeoutOnly,
        )
    },
    Transport {
        page: "semi_tcp",
        group: Group::MultiHop,
        admission: Admission::Pull,
        nodes: NodeParts { handshake: HandshakeKind::SemiTcp, ..NodeParts::NONE },
        ..tcp(
            "semi_tcp_sack",
            "Semi-TCP SACK",
            "Semi-TCP that repairs by SACK, an acknowledgment for 16 segments",
            CongestionKind::SemiTcp,
            RecoveryKind::PulledSack,
        )
    },
    Transport {
        group: Group::MultiHop,
        ..tcp(
            "tcp_ap",
            "TCP-AP",
            "NewReno, no faster than a packet moves four hops",
            CongestionKind::TcpAp,
            RecoveryKind::NewReno,
        )
    },
    tcp("elfn", "TCP-ELFN", "NewReno that stands by while there is no route", CongestionKind::Reno, RecoveryKind::Elfn),
    tcp(
        "tcp_f",
        "TCP-F",
        "NewReno that sleeps until the network reports a route",
        CongestionKind::Reno,
        RecoveryKind::TcpF,
    ),
    tcp(
        "atcp",
        "ATCP",
        "NewReno that cuts its window for marks only, not for losses",
        CongestionKind::Reno,
        RecoveryKind::Atcp,
    ),
    Transport {
        group: Group::MultiHop,
        nodes: NodeParts::routed(FeedbackKind::Muzha, &[ObserverKind::Busy]),
        ..tcp(
            "muzha",
            "TCP Muzha",
            "routers advise how fast to speed up or slow down",
            CongestionKind::Muzha,
            RecoveryKind::Muzha,
        )
    },
    Transport {
        group: Group::ExplicitFeedback,
        nodes: NodeParts::routed(FeedbackKind::Xcp, &[]),
        ..tcp(
            "xcp",
            "XCP",
            "routers grant changes of the rate, knowing the capacity",
            CongestionKind::Xcp,
            RecoveryKind::Reno,
        )
    },
    Transport {
        page: "xcp",
        group: Group::ExplicitFeedback,
        nodes: NodeParts::routed(FeedbackKind::XcpB, &[]),
        ..tcp(
            "xcp_b",
            "XCP-b",
            "XCP whose routers judge by their queues alone",
            CongestionKind::XcpB,
            RecoveryKind::Reno,
        )
    },
    Transport {
        page: "xcp",
        group: Group::ExplicitFeedback,
        nodes: NodeParts::routed(FeedbackKind::XcpWinf, &[ObserverKind::Busy, ObserverKind::Winf]),
        ..tcp(
            "xcp_winf",
            "XCP-Winf",
            "XCP with rt-Winf's capacity and bandwidth",
            CongestionKind::XcpWinf,
            RecoveryKind::Reno,
        )
    },
    Transport {
        nodes: NodeParts::routed(FeedbackKind::Rcp, &[]),
        ..transport(
            "rcp",
            "RCP",
            "routers offer one rate to all flows, knowing the capacity",
            Group::ExplicitFeedback,
            Protocol::Rate(RcpKind::Base),
        )
    },
    Transport {
        page: "rcp",
        nodes: NodeParts::routed(FeedbackKind::RcpWinf, &[ObserverKind::Winf]),
        ..transport(
            "rcp_winf",
            "RCP-Winf",
            "RCP with rt-Winf's capacity, and a window of a round trip's worth",
            Group::ExplicitFeedback,
            Protocol::Rate(RcpKind::Winf),
        )
    },
    Transport {
        nodes: NodeParts::routed(FeedbackKind::Atp, &[ObserverKind::Service]),
        ..transport(
            "atp",
            "ATP",
            "a rate from the delays of the nodes on the path",
            Group::MultiHop,
            Protocol::AdHoc(AdHocKind::Atp),
        )
    },
    transport(
        "tpa",
        "TPA",
        "blocks of segments, two or three in flight",
        Group::MultiHop,
        Protocol::AdHoc(AdHocKind::Tpa),
    ),
    Transport {
        nodes: NodeParts::routed(FeedbackKind::Wcp, &[ObserverKind::Neighborhood]),
        ..transport(
            "wcp",
            "WCP",
            "a rate that congestion of the neighborhood halves",
            Group::MultiHop,
            Protocol::AdHoc(AdHocKind::Wcp),
        )
    },
    Transport {
        group: Group::MultiHop,
        admission: Admission::Pull,
        nodes: NodeParts { handshake: HandshakeKind::HopRelease, ..NodeParts::NONE },
        ..tcp(
            "hop_release",
            "Hop Release",
            "no window: a node sends on when its next hop is overheard to have done so, SACK repairs",
            CongestionKind::SemiTcp,
            RecoveryKind::PulledSack,
        )
    },
    stream("tcp_reno", "TCP Reno", "real TCP (handshake to FIN, RACK, PRR) with Reno", CongestionKind::Reno),
    stream("tcp_cubic", "TCP CUBIC", "real TCP (handshake to FIN, RACK, PRR) with CUBIC", CongestionKind::Cubic),
    Transport {
        page: "bbr",
        ..stream("tcp_bbr", "BBRv1", "real TCP paced by a model of the path: BBRv1 of Linux", CongestionKind::Bbr)
    },
    Transport {
        page: "bbr3",
        ..stream("tcp_bbr3", "BBRv3", "real TCP paced by a model that losses bound: BBRv3", CongestionKind::Bbr3)
    },
    Transport {
        page: "dctcp",
        ..stream("tcp_dctcp", "DCTCP", "real TCP that cuts by the share of marked segments", CongestionKind::Dctcp)
    },
    Transport {
        page: "ledbat",
        ..stream(
            "tcp_ledbat",
            "LEDBAT",
            "real TCP in the background: yields to a queue of others",
            CongestionKind::Ledbat,
        )
    },
    Transport {
        page: "copa",
        ..stream("tcp_copa", "Copa", "real TCP whose rate is the inverse of the queueing delay", CongestionKind::Copa)
    },
    stack("quinn_new_reno", "quinn NewReno", "QUIC of quinn with its NewReno", "quinn", StackKind::QuinnNewReno),
    stack("quinn_cubic", "quinn CUBIC", "QUIC of quinn with its CUBIC", "quinn", StackKind::QuinnCubic),
    stack(
        "quinn_bbr",
        "quinn BBR",
        "QUIC of quinn with its BBR, which is not paced by rate",
        "quinn",
        StackKind::QuinnBbr,
    ),
    stack(
        "smoltcp_reno",
        "smoltcp Reno",
        "TCP of smoltcp with its Reno, without SACK (builds with feature smoltcp)",
        "smoltcp",
        StackKind::SmoltcpReno,
    ),
    stack(
        "smoltcp_cubic",
        "smoltcp CUBIC",
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

    /// How its two ends converse.
    pub fn conversation(&self) -> Conversation {
        match self.protocol {
            Protocol::Udp => Conversation::Datagrams,
            Protocol::Stream(_) | Protocol::Stack(_) => Conversation::Connection,
            Protocol::Tcp(_) | Protocol::Split | Protocol::Rate(_) | Protocol::AdHoc(_) => Conversation::OneWay,
        }
    }

    /// Whether a finite transfer is a number of bytes.
    pub fn counts_bytes(&self) -> bool {
        self.conversation() == Conversation::Connection
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
