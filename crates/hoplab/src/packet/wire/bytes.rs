//! A frame or packet in bytes, without its payload: its headers, and the length of the whole.

/// The bytes of a frame or packet that a capture contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bytes {
    /// Headers, and content that is not mere filling.
    pub kept: Vec<u8>,
    /// Length of the whole.
    pub len: usize,
}
