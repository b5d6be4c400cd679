//! Control packets: ARP, and the messages of routing protocols.
//!
//! A routing message is opaque below the network layer. The protocol that defines it states its name in logs and its
//! encoding in captures; no other layer reads it. So a new routing protocol changes neither this file nor the trace.

use crate::kernel::{NodeId, RadioId};
use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

/// ARP message (RFC 826). Addresses equal the numbers of radios; only the exchange and its time matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arp {
    /// ARP request, sent by the packet's source.
    Request {
        /// Radio whose address is requested.
        target: RadioId,
        /// Its node.
        node: NodeId,
    },
    /// ARP reply of the packet's source.
    Reply,
}

/// A message of a routing protocol. Its length is that of its packet.
pub trait ControlMessage: Any + Debug + Send + Sync {
    /// Name of its type in logs, such as `rreq`.
    fn name(&self) -> &'static str;

    /// UDP port of the protocol, for source and destination.
    fn port(&self) -> u16;

    /// Number of the protocol in the IP header, if its messages are not in UDP.
    fn protocol(&self) -> Option<u8> {
        None
    }

    /// Whether it is the content of an action frame, in place of a UDP datagram.
    fn is_action(&self) -> bool {
        false
    }

    /// The message as bytes in captures; `src` is the source of its packet.
    fn encode(&self, src: NodeId) -> Vec<u8>;

    /// The message as a JSON object in logs; empty if logs omit it.
    fn json(&self) -> String {
        String::new()
    }
}

/// Payload of a routing packet. Copies share the message.
#[derive(Clone, Debug)]
pub struct Control(Arc<dyn ControlMessage>);

impl Control {
    /// A payload with this message.
    pub fn new(message: impl ControlMessage) -> Control {
        Control(Arc::new(message))
    }

    /// The message, if it is of this type.
    #[inline]
    pub fn get<M: ControlMessage>(&self) -> Option<&M> {
        let message: &dyn Any = &*self.0;
        message.downcast_ref()
    }

    /// See [`ControlMessage::name`].
    pub fn name(&self) -> &'static str {
        self.0.name()
    }

    /// See [`ControlMessage::port`].
    pub fn port(&self) -> u16 {
        self.0.port()
    }

    /// See [`ControlMessage::protocol`].
    pub fn protocol(&self) -> Option<u8> {
        self.0.protocol()
    }

    /// See [`ControlMessage::is_action`].
    pub fn is_action(&self) -> bool {
        self.0.is_action()
    }

    /// See [`ControlMessage::encode`].
    pub fn encode(&self, src: NodeId) -> Vec<u8> {
        self.0.encode(src)
    }

    /// See [`ControlMessage::json`].
    pub fn json(&self) -> String {
        self.0.json()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Ping(u8);

    #[derive(Debug)]
    struct Pong;

    impl ControlMessage for Ping {
        fn name(&self) -> &'static str {
            "ping"
        }

        fn port(&self) -> u16 {
            7
        }

        fn encode(&self, src: NodeId) -> Vec<u8> {
            vec![self.0, src.0 as u8]
        }
    }

    impl ControlMessage for Pong {
        fn name(&self) -> &'static str {
            "pong"
        }

        fn port(&self) -> u16 {
            7
        }

        fn encode(&self, _: NodeId) -> Vec<u8> {
            Vec::new()
        }
    }

    #[test]
    fn message_is_read_by_its_own_type_only() {
        let control = Control::new(Ping(3)).clone();
        assert_eq!(control.get::<Ping>().map(|ping| ping.0), Some(3));
        assert!(control.get::<Pong>().is_none());
        assert_eq!((control.name(), control.port(), control.encode(NodeId(9))), ("ping", 7, vec![3, 9]));
        assert_eq!(control.json(), "", "logs show nothing of it unless it says so");
    }
}
