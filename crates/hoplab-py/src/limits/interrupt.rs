//! Work of the engine without a limit, in a separate thread, so that Ctrl-C is handled meanwhile.

use pyo3::prelude::*;
use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;
use std::time::Duration;

/// Interval at which Python can respond to signals.
const PATIENCE: Duration = Duration::from_millis(50);

/// Stack of the thread: that of a main thread on Linux.
const STACK_BYTES: usize = 8 << 20;

/// The result of `work`. After a signal its thread is left to itself, and the error of the signal's handler returned.
pub(crate) fn interruptible<T, F>(py: Python<'_>, work: F) -> PyResult<T>
where
    T: Send + 'static,
    F: FnOnce() -> T + Send + 'static,
{
    let (sender, receiver) = sync_channel(1);
    let receiver = Mutex::new(receiver);
    let receive = || receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(PATIENCE);
    let send = move || drop(sender.send(work()));
    let thread = Builder::new().name("hoplab-prepare".to_owned()).stack_size(STACK_BYTES).spawn(send)?;
    loop {
        match py.detach(receive) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => match thread.join() {
                Ok(()) => unreachable!("a thread that ends has sent its result"),
                Err(panic) => resume_unwind(panic),
            },
        }
    }
}
