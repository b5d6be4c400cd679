//! A file without end, as `Application/FTP` of ns-2: there is always a segment to send.

use super::{Supply, Traffic};
use crate::kernel::Time;

/// A file without end.
#[derive(Clone, Copy, Debug)]
pub struct Ftp;

impl Traffic for Ftp {
    fn on_start(&mut self, _now: Time) -> Supply {
        Supply::Endless
    }

    fn on_deadline(&mut self, _now: Time) -> Supply {
        unreachable!("a file has no deadline")
    }

    fn on_stop(&mut self) {}

    fn deadline(&self) -> Option<Time> {
        None
    }
}
