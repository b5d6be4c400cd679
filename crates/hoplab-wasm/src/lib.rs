//! The engine for a browser: plain exports, no imports. `viewer/src/lab/engine.ts` is the other side.
//!
//! The caller writes a request (JSON) into [`lab_input`], calls an export, and reads the answer at [`lab_output`]. A
//! module has one run at a time. A panic traps; the answer is then its message.

#![expect(
    unsafe_code,
    reason = "an export needs a fixed name; no two of them are equal, and the prefix keeps them apart"
)]

mod rows;
mod run;

use run::{Request, Run};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::panic;
use std::sync::Once;

/// Statuses of [`lab_advance`]; the other exports return [`DONE`] or [`FAILED`].
const GOES_ON: u32 = 0;
const DONE: u32 = 1;
const FAILED: u32 = 2;

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static OUTPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static RUN: RefCell<Option<Run>> = const { RefCell::new(None) };
}

/// Room for a request of `length` bytes; valid until the next call.
#[unsafe(no_mangle)]
pub extern "C" fn lab_input(length: usize) -> *mut u8 {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| panic::set_hook(Box::new(|info| write(format!("the engine panicked: {info}").into_bytes()))));
    INPUT.with_borrow_mut(|input| {
        *input = vec![0; length];
        input.as_mut_ptr()
    })
}

/// The last answer; valid until the next call.
#[unsafe(no_mangle)]
pub extern "C" fn lab_output() -> *const u8 {
    OUTPUT.with_borrow(Vec::as_ptr)
}

/// Length of the last answer in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn lab_output_length() -> usize {
    OUTPUT.with_borrow(Vec::len)
}

/// The names that a scenario can use, as `hoplab list --json` has them.
#[unsafe(no_mangle)]
pub extern "C" fn lab_registry() -> u32 {
    answer(Ok(hoplab::scenario::registry()))
}

/// Checks a scenario without a run: its values, the whole file, facts and warnings.
#[unsafe(no_mangle)]
pub extern "C" fn lab_resolve() -> u32 {
    answer(request().and_then(|request| run::resolve(&request)))
}

/// Begins a run, in place of the one before.
#[unsafe(no_mangle)]
pub extern "C" fn lab_start() -> u32 {
    RUN.take();
    let begun = request().and_then(|request| Run::begin(&request));
    answer(begun.map(|run| {
        let end_s = run.end_s();
        RUN.set(Some(run));
        json!({ "end_s": end_s })
    }))
}

/// Handles about `events` events; the caller may stop between two calls.
#[unsafe(no_mangle)]
pub extern "C" fn lab_advance(events: u32) -> u32 {
    match with_run(|run| run.advance(u64::from(events))) {
        Ok((is_done, progress)) => {
            answer(Ok(progress));
            if is_done { DONE } else { GOES_ON }
        }
        Err(error) => answer(Err(error)),
    }
}

/// The report of the run, as `hoplab run --json` has it for one seed.
#[unsafe(no_mangle)]
pub extern "C" fn lab_report() -> u32 {
    match with_run(run::Run::report) {
        Ok(report) => {
            write(report.into_bytes());
            DONE
        }
        Err(error) => answer(Err(error)),
    }
}

/// The rows of the log since the last call, a number for each column of [`lab_names`].
#[unsafe(no_mangle)]
pub extern "C" fn lab_rows() -> u32 {
    match with_run(|run| Ok(run.rows())) {
        Ok(rows) => {
            write(rows);
            DONE
        }
        Err(error) => answer(Err(error)),
    }
}

/// Names of the columns of rows, and of the codes in them so far.
#[unsafe(no_mangle)]
pub extern "C" fn lab_names() -> u32 {
    answer(with_run(|run| Ok(run.names())))
}

/// Movements of the nodes, and samples.
#[unsafe(no_mangle)]
pub extern "C" fn lab_recording() -> u32 {
    answer(with_run(run::Run::recording))
}

fn request() -> Result<Request, Value> {
    let input = INPUT.take();
    serde_json::from_slice(&input).map_err(|error| run::failure(&format!("request: {error}")))
}

fn with_run<T>(act: impl FnOnce(&mut Run) -> Result<T, Value>) -> Result<T, Value> {
    RUN.with_borrow_mut(|run| {
        act(run.as_mut().ok_or_else(|| run::failure("run: none has begun, expected lab_start"))?)
    })
}

fn answer(result: Result<Value, Value>) -> u32 {
    let status = if result.is_ok() { DONE } else { FAILED };
    write(result.unwrap_or_else(|error| error).to_string().into_bytes());
    status
}

fn write(bytes: Vec<u8>) {
    OUTPUT.set(bytes);
}
