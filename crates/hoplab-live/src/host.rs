//! The system that real programs run on, as the pace of a run sees it.

use hoplab::kernel::{NodeId, Time};
use std::io;

/// Clock, devices and waiting.
pub trait Host {
    /// Time since the start of the run.
    fn now(&mut self) -> Time;

    /// Reads the next packet that a program has sent into `buffer`, and returns its node and length. `None`: no packet waits.
    ///
    /// # Errors
    /// If a device fails.
    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<(NodeId, usize)>>;

    /// Writes a packet to the device of a node. Returns whether the system has accepted it.
    ///
    /// # Errors
    /// If the device fails.
    fn deliver(&mut self, node: NodeId, bytes: &[u8]) -> io::Result<bool>;

    /// Waits until a packet can be read, the run is to stop, or `until`.
    ///
    /// # Errors
    /// If the system fails.
    fn wait(&mut self, until: Time) -> io::Result<()>;

    /// Whether waits end only where a packet can arrive: events in between are handled late, each at its own simulated time.
    /// For hosts whose clock does not pass while the world catches up.
    fn skips_events(&self) -> bool {
        false
    }

    /// Whether the run is to end now.
    fn is_stopped(&mut self) -> bool;
}
