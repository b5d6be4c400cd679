//! Captures: all frames and packets of a run in a file that Wireshark reads (pcapng; radiotap and 802.11, raw IP).
//!
//! Each radio is an interface, and each end of a wire. One more contains dropped packets, which are not
//! transmitted, with the reason. A frame is written some time after its transmission, when it is known whether its receiver
//! has decoded it.

use hoplab::kernel::{NodeId, RadioId, Radios, Time};
use hoplab::mac::Preamble;
use hoplab::packet::wire::{Bytes, FlowBytes, Wire};
use hoplab::packet::{Frame, FrameKind, Packet};
use hoplab::scenario::{FlowSpec, Resolved};
use hoplab::trace::{CaptureSink, DropReason, Loss};
use hoplab::transport::Protocol;
use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{InterfaceDescriptionBlock, InterfaceDescriptionOption};
use pcap_file::{DataLink, PcapError};
use std::borrow::Cow;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Longer than the airtime and delay of any frame, in nanoseconds.
const SETTLED: u64 = 50_000_000;

/// Resolution of times: powers of ten of a second.
const NANOSECONDS: u8 = 9;

/// A capture file that is being written. It is renamed once it is complete.
pub(crate) struct Capture {
    shared: Arc<Mutex<Shared>>,
    path: PathBuf,
}

/// The sink of a capture that the engine owns.
#[derive(Debug)]
struct End(Arc<Mutex<Shared>>);

struct Shared {
    writer: PcapNgWriter<BufWriter<File>>,
    wire: Wire,
    /// Interface of dropped packets; those of wire ends follow, by port.
    drops: u32,
    /// Whether there are no radios: dropped packets are raw IP, too.
    is_raw: bool,
    radios: Radios,
    waiting: VecDeque<Waiting>,
    /// The first error: writing stops.
    failed: Option<io::Error>,
}

/// What will be written.
struct Waiting {
    time: Time,
    interface: u32,
    bytes: Bytes,
    comments: Vec<String>,
    /// Whether a packet on a wire leaves its interface.
    leaves: Option<bool>,
    /// Type, sender and addressee of a frame.
    frame: Option<(FrameKind, RadioId, RadioId)>,
}

impl Capture {
    /// Begins a file for a run of this scenario.
    pub(crate) fn create(path: &str, scenario: &Resolved) -> io::Result<(Capture, Box<dyn CaptureSink>)> {
        let path = PathBuf::from(path);
        let file = BufWriter::new(File::create(temporary(&path))?);
        let mut writer = PcapNgWriter::new(file).map_err(plain)?;
        let radios = scenario.radios();
        for radio in radios.all() {
            let node = radios.owner(radio);
            let name = match radios.of(node).count() {
                1 => format!("n{}", node.0),
                _ => format!("n{}.{}", node.0, radios.channel(radio)),
            };
            interface(&mut writer, name, DataLink::IEEE802_11_RADIOTAP)?;
        }
        let drops = radios.all().count() as u32;
        let is_raw = drops == 0;
        let of_drops = if is_raw { DataLink::RAW } else { DataLink::IEEE802_11_RADIOTAP };
        interface(&mut writer, "drops".to_owned(), of_drops)?;
        let ends = scenario.wires.iter().enumerate().flat_map(|(wire, spec)| spec.ends.map(|end| (wire, end)));
        for (wire, end) in ends {
            interface(&mut writer, format!("wire{wire}.{}", name(scenario, end)), DataLink::RAW)?;
        }
        let flow = |flow: &FlowSpec| FlowBytes {
            payload: flow.segment.0,
            has_opening: flow.transport.protocol != Protocol::Split,
        };
        let flows = scenario.flows.iter().map(flow).collect();
        let wire = Wire::new(flows, scenario.radio.frequency.0 * 1e-6, scenario.mac.preamble == Preamble::Short)
            .with_qos(scenario.mac.has_qos());
        let shared = Shared { writer, wire, drops, is_raw, radios, waiting: VecDeque::new(), failed: None };
        let shared = Arc::new(Mutex::new(shared));
        let end = Box::new(End(Arc::clone(&shared)));
        Ok((Capture { shared, path }, end))
    }

    /// Ends the file and gives it its name.
    pub(crate) fn finish(&self) -> io::Result<()> {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        shared.write_until(Time::NEVER);
        if let Some(error) = shared.failed.take() {
            return Err(error);
        }
        shared.writer.get_mut().flush()?;
        std::fs::rename(temporary(&self.path), &self.path)
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        // Only there if the capture was not finished.
        let _ = std::fs::remove_file(temporary(&self.path));
    }
}

impl CaptureSink for End {
    fn on_frame(&mut self, now: Time, frame: &Frame, packet: Option<&Packet>) {
        self.with(now, |shared| {
            let bytes = shared.wire.frame(now, frame, packet);
            let comments = packet.filter(|_| frame.kind.is_data()).and_then(|packet| shared.wire.remark(packet));
            shared.waiting.push_back(Waiting {
                time: now,
                interface: frame.ta.0,
                bytes,
                comments: comments.into_iter().collect(),
                leaves: None,
                frame: Some((frame.kind, frame.ta, frame.ra)),
            });
        });
    }

    fn on_block_ack(&mut self, now: Time, frame: &Frame, bitmap: u64) {
        self.with(now, |shared| {
            let bytes = shared.wire.block_ack(now, frame, bitmap);
            shared.waiting.push_back(Waiting {
                time: now,
                interface: frame.ta.0,
                bytes,
                comments: Vec::new(),
                leaves: None,
                frame: Some((frame.kind, frame.ta, frame.ra)),
            });
        });
    }

    fn on_loss(&mut self, now: Time, radio: RadioId, kind: FrameKind, from: RadioId, loss: Loss) {
        self.with(now, |shared| {
            let is_it = |waiting: &&mut Waiting| waiting.frame == Some((kind, from, radio));
            if let Some(waiting) = shared.waiting.iter_mut().rev().find(is_it) {
                waiting.comments.push(format!("lost at {}: {}", shared.radios.owner(radio), loss.name()));
            }
        });
    }

    fn on_wire(&mut self, now: Time, port: u32, is_sent: bool, packet: &Packet) {
        self.with(now, |shared| {
            let bytes = shared.wire.raw(packet);
            // Ports come in pairs: the other direction begins where this one ends.
            let end = if is_sent { port } else { port ^ 1 };
            shared.waiting.push_back(Waiting {
                time: now,
                interface: shared.drops + 1 + end,
                bytes,
                comments: Vec::new(),
                leaves: Some(is_sent),
                frame: None,
            });
        });
    }

    fn on_drop(&mut self, now: Time, node: NodeId, packet: &Packet, reason: DropReason) {
        self.with(now, |shared| {
            let bytes = if shared.is_raw { shared.wire.raw(packet) } else { shared.wire.off_air(now, node, packet) };
            let comments = vec![format!("dropped at {node}: {}", reason.name()), shared.wire.describe(packet)];
            let interface = shared.drops;
            shared.waiting.push_back(Waiting { time: now, interface, bytes, comments, leaves: None, frame: None });
        });
    }
}

impl End {
    fn with(&self, now: Time, act: impl FnOnce(&mut Shared)) {
        let mut shared = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shared.write_until(Time(now.0.saturating_sub(SETTLED)));
        act(&mut shared);
    }
}

impl Shared {
    /// Writes what is from before `until`.
    fn write_until(&mut self, until: Time) {
        while self.failed.is_none() && self.waiting.front().is_some_and(|waiting| waiting.time < until) {
            let Some(waiting) = self.waiting.pop_front() else { return };
            let comments = waiting.comments.into_iter().map(|comment| EnhancedPacketOption::Comment(comment.into()));
            // Bits 0 and 1 of the flags: 1 is inbound, 2 outbound.
            let direction = waiting.leaves.map(|leaves| EnhancedPacketOption::Flags(if leaves { 2 } else { 1 }));
            let block = EnhancedPacketBlock {
                interface_id: waiting.interface,
                timestamp: Duration::from_nanos(waiting.time.0),
                original_len: waiting.bytes.len as u32,
                data: Cow::Owned(waiting.bytes.kept),
                options: direction.into_iter().chain(comments).collect(),
            };
            if let Err(error) = self.writer.write_pcapng_block(block) {
                self.failed = Some(plain(error));
            }
        }
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a capture with {} frames to be written", self.waiting.len())
    }
}

/// Name of a node: that of a host, or its number.
fn name(scenario: &Resolved, node: NodeId) -> String {
    let host = scenario.hosts.iter().find(|host| host.id == node);
    host.map_or_else(|| node.to_string(), |host| host.name.clone())
}

fn interface(writer: &mut PcapNgWriter<BufWriter<File>>, name: String, linktype: DataLink) -> io::Result<()> {
    let options =
        vec![InterfaceDescriptionOption::IfName(name.into()), InterfaceDescriptionOption::IfTsResol(NANOSECONDS)];
    let block = InterfaceDescriptionBlock { linktype, snaplen: 0, options };
    writer.write_pcapng_block(block).map(|_| ()).map_err(plain)
}

fn plain(error: PcapError) -> io::Error {
    match error {
        PcapError::IoError(error) => error,
        other => io::Error::other(other.to_string()),
    }
}

/// Where a file is written before it is whole.
fn temporary(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}", std::process::id()));
    path.with_file_name(name)
}
