//! Traffic: how much there is to send, and when.
//!
//! An application only supplies; the transport below it decides when what it has been given is sent.

mod cbr;
mod ftp;

pub use cbr::Cbr;
pub use ftp::Ftp;

use crate::kernel::{Rate, Time};

/// What a flow has to send.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AppConfig {
    /// A file without end.
    Ftp,
    /// Packets at equal distances.
    Cbr {
        /// Payload bits per second.
        rate: Rate,
    },
}

/// Segments handed to the transport at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Supply {
    /// This many more.
    Segments(u32),
    /// As many as can ever be sent.
    Endless,
}

/// A source of traffic.
pub trait Traffic {
    /// The flow's start time has come. Called once.
    fn on_start(&mut self, now: Time) -> Supply;

    /// The time of [`Traffic::deadline`] has come.
    fn on_deadline(&mut self, now: Time) -> Supply;

    /// Nothing more is to be supplied: from now on there is no deadline.
    fn on_stop(&mut self);

    /// When it will supply more, if that is already known.
    fn deadline(&self) -> Option<Time>;
}

/// Any of the sources.
#[derive(Clone, Debug)]
pub enum App {
    /// A file without end.
    Ftp(Ftp),
    /// Packets at equal distances.
    Cbr(Cbr),
}

impl App {
    /// The source that `config` describes, in packets of `segment` payload bytes.
    pub fn new(config: &AppConfig, segment: u32) -> App {
        match *config {
            AppConfig::Ftp => App::Ftp(Ftp),
            AppConfig::Cbr { rate } => App::Cbr(Cbr::new(rate, segment)),
        }
    }
}

impl Traffic for App {
    fn on_start(&mut self, now: Time) -> Supply {
        match self {
            App::Ftp(app) => app.on_start(now),
            App::Cbr(app) => app.on_start(now),
        }
    }

    fn on_deadline(&mut self, now: Time) -> Supply {
        match self {
            App::Ftp(app) => app.on_deadline(now),
            App::Cbr(app) => app.on_deadline(now),
        }
    }

    fn on_stop(&mut self) {
        match self {
            App::Ftp(app) => app.on_stop(),
            App::Cbr(app) => app.on_stop(),
        }
    }

    #[inline]
    fn deadline(&self) -> Option<Time> {
        match self {
            App::Ftp(app) => app.deadline(),
            App::Cbr(app) => app.deadline(),
        }
    }
}
