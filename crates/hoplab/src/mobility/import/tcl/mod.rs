//! Tcl as text: scripts are split into commands and words, and words are expanded as Tcl does. Of Tcl's commands only `set`
//! and `list` are run; the reader interprets others.
//!
//! `script` splits, `expand` substitutes, and `ns2` has the variables of an ns-2 script that movement and traffic files use
//! without setting them.
//!
//! # Source
//! Tcl(n), the twelve rules of Tcl 8.5; `MobileNode` and `Simulator` of ns-2.35.

mod cursor;
mod expand;
mod ns2;
mod script;

pub use expand::{Scope, quoted};
pub use ns2::{Handle, Host, Interpreter, shown};
pub use script::{Command, Fault, Script, Word, source};
