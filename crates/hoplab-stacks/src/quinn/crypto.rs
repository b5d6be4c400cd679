//! A handshake without cryptography: messages as long as those of TLS 1.3, tags of 16 bytes, and keys that change nothing.
//!
//! # Source
//! RFC 9001: keys of each level follow its messages (section 4.1); tags of 16 bytes (section 5.3). RFC 8446 section 4: a message
//! begins with its type and a length of three bytes.

use bytes::BytesMut;
use quinn_proto::crypto::{
    AeadKey, ClientConfig, CryptoError, ExportKeyingMaterialError, HandshakeTokenKey, HeaderKey, HmacKey, KeyPair,
    Keys, PacketKey, ServerConfig, Session, UnsupportedVersion,
};
use quinn_proto::transport_parameters::TransportParameters;
use quinn_proto::{ConnectError, ConnectionId, Side, TransportError, TransportErrorCode};
use std::any::Any;
use std::sync::Arc;

/// Bytes that an authenticated packet has beyond its content.
pub(super) const TAG: usize = 16;

/// Bytes of the header of a message: type and length.
const HEADER: usize = 4;

/// Length of a ClientHello with one key share, and of a ServerHello, in bytes.
const CLIENT_HELLO: usize = 280;
const SERVER_HELLO: usize = 90;

/// Length of the rest of the server's flight: EncryptedExtensions, CertificateVerify and Finished, and a self-signed certificate.
const SERVER_REST: usize = 230 + 350;

/// Length of a Finished message with a hash of 32 bytes.
const FINISHED: usize = HEADER + 32;

/// Types of messages (RFC 8446 section 4); the rest of the server's flight is one message.
const TYPE_CLIENT_HELLO: u8 = 1;
const TYPE_SERVER_HELLO: u8 = 2;
const TYPE_SERVER_REST: u8 = 8;
const TYPE_FINISHED: u8 = 20;

/// Both ends of handshakes without cryptography.
#[derive(Debug)]
pub(super) struct Plain;

impl ClientConfig for Plain {
    fn start_session(
        self: Arc<Self>,
        _version: u32,
        _server_name: &str,
        params: &TransportParameters,
    ) -> Result<Box<dyn Session>, ConnectError> {
        Ok(Box::new(Handshake::new(Side::Client, params)))
    }
}

impl ServerConfig for Plain {
    fn initial_keys(&self, _version: u32, _dst_cid: &ConnectionId) -> Result<Keys, UnsupportedVersion> {
        Ok(keys())
    }

    fn retry_tag(&self, _version: u32, _orig_dst_cid: &ConnectionId, _packet: &[u8]) -> [u8; TAG] {
        [0; TAG]
    }

    fn start_session(self: Arc<Self>, _version: u32, params: &TransportParameters) -> Box<dyn Session> {
        Box::new(Handshake::new(Side::Server, params))
    }
}

/// One end of a handshake.
struct Handshake {
    side: Side,
    /// Encoded transport parameters of this end.
    params: Vec<u8>,
    /// Those of the other end.
    peer: Option<TransportParameters>,
    /// Received bytes that are not a whole message yet.
    unread: Vec<u8>,
    /// Messages received and sent so far.
    received: u8,
    sent: u8,
    /// Whether the client has its handshake keys.
    has_keys: bool,
}

impl Handshake {
    fn new(side: Side, params: &TransportParameters) -> Handshake {
        let mut encoded = Vec::new();
        params.write(&mut encoded);
        Handshake { side, params: encoded, peer: None, unread: Vec::new(), received: 0, sent: 0, has_keys: false }
    }

    /// Writes a message of `len` bytes that begins with `content` after its header.
    fn write(&mut self, buf: &mut Vec<u8>, kind: u8, len: usize, content: &[u8]) {
        let len = len.max(HEADER + content.len());
        let begin = buf.len();
        buf.extend(((len - HEADER) as u32).to_be_bytes());
        buf[begin] = kind;
        buf.extend(content);
        buf.resize(begin + len, 0);
        self.sent += 1;
    }

    /// The transport parameters of this end with their length before them.
    fn own_params(&self) -> Vec<u8> {
        [&(self.params.len() as u16).to_be_bytes()[..], &self.params].concat()
    }

    fn read_params(&mut self, body: &[u8]) -> Result<(), TransportError> {
        let params = body.split_first_chunk::<2>().and_then(|(len, rest)| rest.get(..u16::from_be_bytes(*len).into()));
        let params = params.and_then(|mut params| TransportParameters::read(self.side, &mut params).ok());
        self.peer = Some(params.ok_or_else(decode_error)?);
        Ok(())
    }

    fn read_message(&mut self, kind: u8, body: &[u8]) -> Result<(), TransportError> {
        match (self.side, kind) {
            (Side::Server, TYPE_CLIENT_HELLO) | (Side::Client, TYPE_SERVER_REST) => self.read_params(body)?,
            (Side::Client, TYPE_SERVER_HELLO) | (Side::Server, TYPE_FINISHED) => {}
            _ => return Err(decode_error()),
        }
        self.received += 1;
        Ok(())
    }
}

/// The alert decode_error of TLS (RFC 8446 section 6.2).
fn decode_error() -> TransportError {
    TransportErrorCode::crypto(50).into()
}

impl Session for Handshake {
    fn initial_keys(&self, _dst_cid: &ConnectionId, _side: Side) -> Keys {
        keys()
    }

    fn handshake_data(&self) -> Option<Box<dyn Any>> {
        None
    }

    fn peer_identity(&self) -> Option<Box<dyn Any>> {
        None
    }

    fn early_crypto(&self) -> Option<(Box<dyn HeaderKey>, Box<dyn PacketKey>)> {
        None
    }

    fn early_data_accepted(&self) -> Option<bool> {
        None
    }

    fn is_handshaking(&self) -> bool {
        self.received < 2
    }

    fn read_handshake(&mut self, buf: &[u8]) -> Result<bool, TransportError> {
        self.unread.extend(buf);
        while let Some((&header, rest)) = self.unread.split_first_chunk::<HEADER>() {
            let len = (u32::from_be_bytes(header) & 0x00ff_ffff) as usize;
            let Some(body) = rest.get(..len).map(<[u8]>::to_vec) else { break };
            self.unread.drain(..HEADER + len);
            self.read_message(header[0], &body)?;
        }
        Ok(false)
    }

    fn transport_parameters(&self) -> Result<Option<TransportParameters>, TransportError> {
        Ok(self.peer)
    }

    fn write_handshake(&mut self, buf: &mut Vec<u8>) -> Option<Keys> {
        match (self.side, self.received, self.sent) {
            (Side::Client, 0, 0) => {
                self.write(buf, TYPE_CLIENT_HELLO, CLIENT_HELLO, &self.own_params());
                None
            }
            (Side::Client, 1.., 1) if !self.has_keys => {
                self.has_keys = true;
                Some(keys())
            }
            (Side::Client, 2, 1) => {
                self.write(buf, TYPE_FINISHED, FINISHED, &[]);
                Some(keys())
            }
            (Side::Server, 1, 0) => {
                self.write(buf, TYPE_SERVER_HELLO, SERVER_HELLO, &[]);
                Some(keys())
            }
            (Side::Server, 1, 1) => {
                self.write(buf, TYPE_SERVER_REST, SERVER_REST, &self.own_params());
                Some(keys())
            }
            _ => None,
        }
    }

    fn next_1rtt_keys(&mut self) -> Option<KeyPair<Box<dyn PacketKey>>> {
        Some(KeyPair { local: Box::new(NoKey), remote: Box::new(NoKey) })
    }

    fn is_valid_retry(&self, _orig_dst_cid: &ConnectionId, _header: &[u8], _payload: &[u8]) -> bool {
        false
    }

    fn export_keying_material(
        &self,
        _output: &mut [u8],
        _label: &[u8],
        _context: &[u8],
    ) -> Result<(), ExportKeyingMaterialError> {
        Err(ExportKeyingMaterialError)
    }
}

/// A key of any kind that changes nothing.
pub(super) struct NoKey;

fn keys() -> Keys {
    Keys {
        header: KeyPair { local: Box::new(NoKey), remote: Box::new(NoKey) },
        packet: KeyPair { local: Box::new(NoKey), remote: Box::new(NoKey) },
    }
}

impl PacketKey for NoKey {
    fn encrypt(&self, _packet: u64, _buf: &mut [u8], _header_len: usize) {}

    fn decrypt(&self, _packet: u64, _header: &[u8], payload: &mut BytesMut) -> Result<(), CryptoError> {
        let len = payload.len().checked_sub(TAG).ok_or(CryptoError)?;
        payload.truncate(len);
        Ok(())
    }

    fn tag_len(&self) -> usize {
        TAG
    }

    /// Keys do not wear out, so that none is updated.
    fn confidentiality_limit(&self) -> u64 {
        u64::MAX
    }

    fn integrity_limit(&self) -> u64 {
        u64::MAX
    }
}

impl HeaderKey for NoKey {
    fn decrypt(&self, _pn_offset: usize, _packet: &mut [u8]) {}

    fn encrypt(&self, _pn_offset: usize, _packet: &mut [u8]) {}

    fn sample_size(&self) -> usize {
        TAG
    }
}

/// Tokens of stateless resets: the connection ID, repeated.
impl HmacKey for NoKey {
    fn sign(&self, data: &[u8], signature_out: &mut [u8]) {
        for (out, byte) in signature_out.iter_mut().zip(data.iter().cycle()) {
            *out = *byte;
        }
    }

    fn signature_len(&self) -> usize {
        32
    }

    fn verify(&self, _data: &[u8], _signature: &[u8]) -> Result<(), CryptoError> {
        Ok(())
    }
}

impl HandshakeTokenKey for NoKey {
    fn aead_from_hkdf(&self, _random_bytes: &[u8]) -> Box<dyn AeadKey> {
        Box::new(NoKey)
    }
}

impl AeadKey for NoKey {
    fn seal(&self, data: &mut Vec<u8>, _additional_data: &[u8]) -> Result<(), CryptoError> {
        data.resize(data.len() + TAG, 0);
        Ok(())
    }

    fn open<'a>(&self, data: &'a mut [u8], _additional_data: &[u8]) -> Result<&'a mut [u8], CryptoError> {
        let len = data.len().checked_sub(TAG).ok_or(CryptoError)?;
        Ok(&mut data[..len])
    }
}
