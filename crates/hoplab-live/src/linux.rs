//! Devices and clock of Linux: TUN descriptors, `CLOCK_MONOTONIC`, and an absolute timer.

use crate::host::Host;
use hoplab::kernel::{NodeId, Time};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::{Errno, read, retry_on_intr, write};
use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};
use rustix::time::{
    ClockId, Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, clock_gettime, timerfd_create,
    timerfd_settime,
};
use std::io;

/// Devices of nodes, and a descriptor that becomes readable when the run is to end.
#[derive(Debug)]
pub struct LinuxHost {
    start: u64,
    nodes: Vec<NodeId>,
    devices: Vec<OwnedFd>,
    stop: OwnedFd,
    timer: OwnedFd,
    is_precise: bool,
    /// Devices that may have packets, by index.
    ready: Vec<usize>,
    is_stopped: bool,
    /// When the loop last gave up the processor.
    rested: u64,
    /// In virtual time: the clock as far as it is known, and the waits since it was read.
    known: Option<(u64, u32)>,
}

/// How a run keeps the time of its clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The wall clock, by a timer.
    Real,
    /// The wall clock, polled before each event.
    Precise,
    /// A clock that only events advance, as in user-mode Linux with time travel: each call of the system costs much real
    /// time, so that the end of a wait counts as a reading of the clock.
    Virtual,
}

/// Before this time of an event the clock is polled, in nanoseconds: sleeping threads of Linux wake up as late.
const SPIN: u64 = 60_000;

/// A thread of a real-time class rests after this time, in nanoseconds, so that an overload does not stop the machine.
const LONGEST_WORK: u64 = 200_000_000;

/// The rest, in nanoseconds.
const REST: u64 = 1_000_000;

/// In virtual time a wait ends so much after the event that it is for, in nanoseconds: a signal reaches receivers up to
/// 600 m away within this time, and one wait serves them all.
const MERGED: u64 = 2_000;

/// Waits in virtual time between two readings of the clock: each ends some microseconds after the time it names.
const LONGEST_TRUST: u32 = 8;

impl LinuxHost {
    /// The devices of nodes by the numbers of their descriptors in this process, which are duplicated. Devices do not block.
    ///
    /// # Errors
    /// If a descriptor is not open, or the system has no more.
    pub fn new(ports: &[(NodeId, i32)], stop: i32, clock: Clock) -> io::Result<LinuxHost> {
        let myself = pidfd_open(getpid(), PidfdFlags::empty())?;
        let duplicate = |number| pidfd_getfd(&myself, number, PidfdGetfdFlags::empty());
        let devices: Result<Vec<OwnedFd>, Errno> = ports.iter().map(|&(_, number)| duplicate(number)).collect();
        let timer = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC)?;
        let start = monotonic();
        Ok(LinuxHost {
            start,
            nodes: ports.iter().map(|&(node, _)| node).collect(),
            devices: devices?,
            stop: duplicate(stop)?,
            timer,
            is_precise: clock == Clock::Precise,
            ready: Vec::new(),
            is_stopped: false,
            rested: start,
            known: (clock == Clock::Virtual).then_some((start, 0)),
        })
    }

    /// Starts the clock of the run.
    pub fn start_clock(&mut self) {
        self.start = monotonic();
        self.read_clock();
    }

    /// In virtual time, reads the clock.
    fn read_clock(&mut self) {
        if let Some(known) = &mut self.known {
            *known = (known.0.max(monotonic()), 0);
        }
    }

    /// Waits in virtual time: one call of the system.
    fn wait_virtual(&mut self, (now, waits): (u64, u32), at: u64) -> io::Result<()> {
        let at = at.saturating_add(MERGED);
        let is_early = self.poll(Some(timespec(at.saturating_sub(now))))?;
        if is_early || waits >= LONGEST_TRUST {
            self.read_clock();
        } else {
            self.known = Some((at.max(now), waits + 1));
        }
        Ok(())
    }

    /// Notes what can be read. `timeout`: `None` waits for the timer. Returns whether it has ended before.
    fn poll(&mut self, timeout: Option<Timespec>) -> io::Result<bool> {
        let watched = self.devices.iter().map(AsFd::as_fd).chain([self.stop.as_fd(), self.timer.as_fd()]);
        let mut fds: Vec<PollFd<'_>> = watched.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)).collect();
        let found = match poll(&mut fds, timeout.as_ref()) {
            Err(Errno::INTR) => return Ok(true),
            found => found?,
        };
        let is_ready = |fd: &PollFd<'_>| !fd.revents().is_empty();
        let devices = self.devices.len();
        self.ready.clear();
        self.ready.extend((0..devices).filter(|&i| is_ready(&fds[i])));
        self.is_stopped |= is_ready(&fds[devices]);
        Ok(found > 0)
    }

    fn sleep_until(&mut self, at: u64) -> io::Result<()> {
        let spec = Itimerspec { it_interval: timespec(0), it_value: timespec(at.max(1)) };
        timerfd_settime(&self.timer, TimerfdTimerFlags::ABSTIME, &spec)?;
        self.poll(None)?;
        let mut expirations = [0; 8];
        // Without an expiration there is nothing to read.
        let _ = read(&self.timer, &mut expirations);
        self.rested = monotonic();
        Ok(())
    }
}

impl Host for LinuxHost {
    fn now(&mut self) -> Time {
        let now = self.known.map_or_else(monotonic, |(now, _)| now);
        Time(now.saturating_sub(self.start))
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<(NodeId, usize)>> {
        while let Some(&index) = self.ready.last() {
            match retry_on_intr(|| read(&self.devices[index], &mut *buffer)) {
                Ok(0) | Err(Errno::AGAIN) => {
                    self.ready.pop();
                }
                Ok(len) => {
                    // Devices take turns, so that a flood at one does not starve the others.
                    self.ready.rotate_right(1);
                    return Ok(Some((self.nodes[index], len)));
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(None)
    }

    fn deliver(&mut self, node: NodeId, bytes: &[u8]) -> io::Result<bool> {
        let Ok(index) = self.nodes.binary_search(&node) else { return Ok(false) };
        let written = retry_on_intr(|| write(&self.devices[index], bytes));
        self.read_clock();
        match written {
            Ok(_) => Ok(true),
            // A device that is down, a header that the kernel refuses, or no memory: the packet alone is lost.
            Err(Errno::IO | Errno::INVAL | Errno::AGAIN | Errno::NOBUFS | Errno::NOMEM) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    fn wait(&mut self, until: Time) -> io::Result<()> {
        let at = self.start.saturating_add(until.0);
        if let Some(known) = self.known {
            return self.wait_virtual(known, at);
        }
        let now = monotonic();
        if now.saturating_sub(self.rested) > LONGEST_WORK {
            return self.sleep_until(now + REST);
        }
        let wake = if self.is_precise { at.saturating_sub(SPIN) } else { at };
        if wake > now {
            self.sleep_until(wake)?;
        }
        let has_packets = !self.ready.is_empty();
        while !has_packets && !self.is_stopped && monotonic() < at {
            if self.poll(Some(timespec(0)))? {
                return Ok(());
            }
        }
        if has_packets { Ok(()) } else { self.poll(Some(timespec(0))).map(|_| ()) }
    }

    fn skips_events(&self) -> bool {
        self.known.is_some()
    }

    fn is_stopped(&mut self) -> bool {
        self.is_stopped
    }
}

fn monotonic() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

fn timespec(nanos: u64) -> Timespec {
    Timespec { tv_sec: (nanos / 1_000_000_000) as i64, tv_nsec: (nanos % 1_000_000_000) as i64 }
}
