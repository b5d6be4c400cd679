//! What the RTS/CTS exchange decides beyond reserving the medium.

mod plain;

pub use plain::Plain;

use super::timing::Timing;
use crate::kernel::Span;
use crate::packet::Frame;

/// Answer to an RTS for this node, once the medium and the MAC allow one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A CTS, with this Order bit.
    Grant {
        /// Order bit.
        order: bool,
    },
    /// None.
    Silence,
}

/// A policy of the RTS/CTS exchange, at one node.
pub trait HandshakePolicy {
    /// The Order bit of the RTS that goes on the air now. Called once per RTS, repeated ones included.
    fn order_bit(&mut self) -> bool;

    /// How to answer `rts`. Called when no response is pending and this node awaits none.
    fn answer(&mut self, rts: &Frame) -> Answer;

    /// A frame was read, whomever it was for. Called before the MAC acts on it.
    fn on_frame(&mut self, frame: &Frame);

    /// Air time of the longest answer that an RTS may get.
    fn answer_airtime(&self, timing: &Timing) -> Span;
}

macro_rules! policies {
    ($($(#[$doc:meta])* $variant:ident($type:ty) = $name:literal),+ $(,)?) => {
        /// The policies that a scenario can name.
        #[derive(Debug)]
        pub enum Handshake { $($(#[$doc])* $variant($type)),+ }

        impl Handshake {
            /// Names of all policies.
            pub const NAMES: &'static [&'static str] = &[$($name),+];
        }

        impl HandshakePolicy for Handshake {
            #[inline]
            fn order_bit(&mut self) -> bool {
                match self { $(Handshake::$variant(policy) => policy.order_bit()),+ }
            }
            #[inline]
            fn answer(&mut self, rts: &Frame) -> Answer {
                match self { $(Handshake::$variant(policy) => policy.answer(rts)),+ }
            }
            #[inline]
            fn on_frame(&mut self, frame: &Frame) {
                match self { $(Handshake::$variant(policy) => policy.on_frame(frame)),+ }
            }
            #[inline]
            fn answer_airtime(&self, timing: &Timing) -> Span {
                match self { $(Handshake::$variant(policy) => policy.answer_airtime(timing)),+ }
            }
        }
    };
}

policies! {
    /// See [`Plain`].
    Plain(Plain) = "plain",
}
