//! Agents and applications that an ns-2 script creates, with their classes and variables.

use super::imported::{Problem, excerpt};
use super::value;
use crate::kernel::{NodeId, Span, Time};

/// A class of ns-2 that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// `Agent/UDP`.
    Udp,
    /// `Agent/TCP` and its variants: the transport, and whether it is the Linux agent.
    Tcp(&'static str, bool),
    /// `Agent/Null` and others that receive datagrams.
    Null,
    /// `Agent/TCPSink`: whether it reports SACK blocks, and delays acknowledgments.
    Sink { has_sack: bool, is_delayed: bool },
    /// `Application/Traffic/CBR`.
    Cbr,
    /// `Application/Traffic/Exponential`.
    Exponential,
    /// `Application/FTP`.
    Ftp,
}

/// Classes that are not supported: prefix of the name, and what to use instead.
const UNSUPPORTED: [(&str, &str); 13] = [
    ("Application/Traffic/Pareto", "Application/Traffic/Exponential, or a [[flow]] with app = \"on_off\""),
    ("Application/Traffic/Trace", "a source of a Python program"),
    ("Application/Traffic", "Application/Traffic/CBR or Application/Traffic/Exponential"),
    ("Application/Telnet", "Application/Traffic/Exponential over a connection"),
    ("Application", "Application/FTP, Application/Traffic/CBR or Application/Traffic/Exponential"),
    ("Agent/TCP/Fack", "Agent/TCP/Sack1"),
    ("Agent/TCP/FullTcp", "Agent/TCP/Reno, Newreno or Sack1 with Agent/TCPSink: connections have one direction"),
    ("Agent/TCP", "Agent/TCP, /Reno, /Newreno, /Sack1, /Vegas or /Linux"),
    ("Agent/CBR", "Agent/UDP with Application/Traffic/CBR"),
    ("Agent/SCTP", "Agent/TCP/Sack1"),
    ("Agent/TFRC", "a connection, such as Agent/TCP/Newreno"),
    ("Agent", "Agent/UDP with Agent/Null, or Agent/TCP with Agent/TCPSink"),
    ("Source", "Application/FTP"),
];

impl Class {
    /// The class of this name.
    pub(super) fn named(name: &str) -> Result<Class, Problem> {
        Ok(match name {
            "Agent/UDP" => Class::Udp,
            "Agent/TCP" => Class::Tcp("tahoe", false),
            "Agent/TCP/Reno" => Class::Tcp("reno", false),
            "Agent/TCP/Newreno" => Class::Tcp("new_reno", false),
            "Agent/TCP/Sack1" => Class::Tcp("sack", false),
            "Agent/TCP/Vegas" => Class::Tcp("vegas", false),
            "Agent/TCP/Linux" => Class::Tcp("sack", true),
            "Agent/Null" | "Agent/LossMonitor" => Class::Null,
            "Agent/TCPSink" => Class::Sink { has_sack: false, is_delayed: false },
            "Agent/TCPSink/DelAck" => Class::Sink { has_sack: false, is_delayed: true },
            "Agent/TCPSink/Sack1" => Class::Sink { has_sack: true, is_delayed: false },
            "Agent/TCPSink/Sack1/DelAck" => Class::Sink { has_sack: true, is_delayed: true },
            "Application/Traffic/CBR" => Class::Cbr,
            "Application/Traffic/Exponential" => Class::Exponential,
            "Application/FTP" | "Source/FTP" => Class::Ftp,
            _ => {
                let found = UNSUPPORTED.iter().find(|(prefix, _)| name.starts_with(prefix));
                let message = format!("{} is not supported", excerpt(name));
                return Err(match found {
                    Some((_, instead)) => Problem::new(message, format!("use {instead}")),
                    None => message.into(),
                });
            }
        })
    }

    pub(super) fn is_application(self) -> bool {
        matches!(self, Class::Cbr | Class::Exponential | Class::Ftp)
    }

    pub(super) fn is_sender(self) -> bool {
        matches!(self, Class::Udp | Class::Tcp(..))
    }
}

/// A command to an object at a time of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    Start,
    Stop,
    /// Packets of a file, in all.
    Produce(u32),
}

/// An agent or application.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub(super) class: Class,
    /// Its class, as the file writes it.
    pub(super) class_name: String,
    /// The first variable that denotes it.
    pub(super) name: Option<String>,
    /// Where it is created.
    pub(super) line: u32,
    /// Payload of a packet in bytes.
    pub(super) size: u32,
    pub(super) rate_bps: f64,
    pub(super) is_random: bool,
    pub(super) max_packets: Option<u32>,
    pub(super) on_mean: Span,
    pub(super) off_mean: Span,
    pub(super) window: u32,
    /// Line of each variable that is set.
    pub(super) set: Vec<(String, u32)>,
    /// Node of an agent.
    pub(super) node: Option<NodeId>,
    /// Agent of an application.
    pub(super) agent: Option<usize>,
    /// The agent at the other end, and where they are connected.
    pub(super) peer: Option<(usize, u32)>,
    /// Its actions with time and line, in order of time.
    pub(super) acts: Vec<(Time, u32, Act)>,
}

/// Variables of ns-2.35's TCP agents that are read as long as they have their default.
const TCP_DEFAULTS: [(&str, f64, &str); 19] = [
    ("minrto_", 0.2, "tcp.min_rto"),
    ("maxrto_", 60.0, "tcp.max_rto"),
    ("rtxcur_init_", 3.0, "tcp.initial_rto"),
    ("tcpTick_", 0.01, "tcp.tick"),
    ("windowInit_", 2.0, "tcp.initial_window"),
    ("singledup_", 1.0, "tcp.limited_transmit"),
    ("numdupacks_", 3.0, "tcp.dup_ack_threshold"),
    ("ssthresh_", 0.0, "tcp.initial_ssthresh"),
    ("v_alpha_", 1.0, "tcp.congestion.vegas.alpha"),
    ("v_beta_", 3.0, "tcp.congestion.vegas.beta"),
    ("v_gamma_", 1.0, "tcp.congestion.vegas.gamma"),
    ("maxcwnd_", 0.0, ""),
    ("maxburst_", 0.0, ""),
    ("overhead_", 0.0, ""),
    ("ecn_", 0.0, ""),
    ("windowOption_", 1.0, ""),
    ("windowInitOption_", 1.0, ""),
    ("tcpip_base_hdr_size_", 40.0, ""),
    ("timestamps_", 0.0, ""),
];

/// Variables without an effect on traffic.
const HARMLESS: [&str; 10] =
    ["fid_", "class_", "prio_", "flags_", "ttl_", "type_", "interval_", "nam_tracevar_", "trace_all_oneline_", "tos_"];

impl Object {
    /// An object with the defaults of ns-2.35.
    pub(super) fn new(class: Class, class_name: &str, line: u32) -> Object {
        Object {
            class,
            class_name: class_name.to_owned(),
            name: None,
            line,
            size: if class.is_application() { 210 } else { 1000 },
            rate_bps: if class == Class::Cbr { 448e3 } else { 64e3 },
            is_random: false,
            max_packets: None,
            on_mean: Span::from_millis(500),
            off_mean: Span::from_millis(500),
            window: 20,
            set: Vec::new(),
            node: None,
            agent: None,
            peer: None,
            acts: Vec::new(),
        }
    }

    /// What messages call it.
    pub(super) fn called(&self) -> String {
        self.name.as_ref().map_or_else(|| format!("{} of line {}", self.class_name, self.line), Clone::clone)
    }

    /// Time between two packets at its rate.
    pub(super) fn interval(&self) -> Span {
        Span::from_secs(8.0 * f64::from(self.size) / self.rate_bps)
    }

    /// Sets a variable. Returns the line that set it before.
    pub(super) fn set(&mut self, variable: &str, word: &str, line: u32) -> Result<Option<u32>, Problem> {
        match (self.class, variable) {
            (Class::Cbr | Class::Exponential | Class::Udp | Class::Tcp(..), "packetSize_") => {
                self.size = value::bytes(word)?;
            }
            (Class::Cbr | Class::Exponential, "rate_") => self.rate_bps = value::rate(word)?,
            (Class::Cbr, "interval_") => {
                // To ns-2 this sets the rate, by the size that packets have so far.
                let secs = value::span(word)?;
                if Span::from_secs(secs) == Span::ZERO {
                    let message = format!("interval_ of {} must be greater than 0 s", self.called());
                    return Err(Problem::new(message, "pass cbrgen a rate with a decimal point, such as 4.0"));
                }
                self.rate_bps = 8.0 * f64::from(self.size) / secs;
            }
            (Class::Cbr, "random_") => self.is_random = value::flag(word)?,
            (Class::Cbr | Class::Exponential | Class::Ftp, "maxpkts_") => self.max_packets = Some(value::count(word)?),
            (Class::Exponential, "burst_time_") => self.on_mean = value::mean(word)?,
            (Class::Exponential, "idle_time_") => self.off_mean = value::mean(word)?,
            (Class::Tcp(..), "window_") => self.window = value::count(word)?,
            (Class::Tcp(..), _) if is_default(variable, word) => return Ok(None),
            (Class::Tcp(..), _) if TCP_DEFAULTS.iter().any(|(name, _, key)| *name == variable && !key.is_empty()) => {
                let known = TCP_DEFAULTS.iter().find(|(name, ..)| *name == variable);
                let key = known.map_or("", |(_, _, key)| key);
                let message = format!("{variable} of TCP agents is not supported in a traffic file");
                return Err(Problem::new(message, format!("set {key} in the scenario, and remove the line")));
            }
            (_, _) if HARMLESS.contains(&variable) => return Ok(None),
            _ => {
                let message = format!("{} of {} is not supported", excerpt(variable), self.class_name);
                return Err(Problem::new(message, "remove the line"));
            }
        }
        let earlier = self.set.iter().position(|(known, _)| known == variable).map(|at| self.set.remove(at).1);
        self.set.push((variable.to_owned(), line));
        Ok(earlier)
    }
}

/// Whether a variable of a TCP agent has the value that it has anyway.
fn is_default(variable: &str, word: &str) -> bool {
    let number = match word {
        "true" => Some(1.0),
        "false" => Some(0.0),
        word => word.parse::<f64>().ok(),
    };
    TCP_DEFAULTS.iter().any(|&(name, default, _)| name == variable && number == Some(default))
}

/// The transport of a module of the Linux agent.
pub(super) fn linux_transport(module: &str) -> Option<&'static str> {
    Some(match module {
        "reno" => "sack",
        "vegas" => "vegas",
        "veno" => "veno",
        "westwood" => "westwood_plus",
        "bic" => "bic",
        "cubic" => "cubic",
        "compound" => "compound",
        _ => return None,
    })
}
