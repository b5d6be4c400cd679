//! An unlimited file, as `Application/FTP` of ns-2.35: there is always a segment to send.

use crate::app::application::{Application, Carrier};
use crate::app::keys::AppKeys;
use crate::app::traffic::{Supply, Traffic};
use crate::kernel::{RandomStream, Time};

/// A file without end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ftp;

/// A source that always has a segment.
#[derive(Clone, Copy, Debug)]
pub struct EndlessSource;

impl Application for Ftp {
    const SUMMARY: &'static str = "a file without end: there is always a segment to send";
    const PAGE: &'static str = "on_off";
    const CARRIER: Carrier = Carrier::Controlled;

    type Source = EndlessSource;

    fn from_keys(_: &AppKeys) -> Ftp {
        Ftp
    }

    fn keys(&self) -> AppKeys {
        AppKeys::default()
    }

    fn source(&self, _: u32, _: impl FnOnce() -> RandomStream) -> EndlessSource {
        EndlessSource
    }
}

impl Traffic for EndlessSource {
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
