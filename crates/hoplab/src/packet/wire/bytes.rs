//! A frame or packet in bytes, without its payload.

/// The bytes that a capture keeps of a frame or packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bytes {
    /// Headers, and content that is not mere filling.
    pub kept: Vec<u8>,
    /// Length of the whole.
    pub len: usize,
}
