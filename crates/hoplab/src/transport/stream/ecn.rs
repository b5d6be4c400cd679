//! Explicit congestion notification (RFC 3168): what an end remembers as sender and as receiver.

/// State of ECN at one end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EcnState {
    /// Whether this end offers ECN.
    pub(super) is_offered: bool,
    /// Whether both ends use it.
    pub(super) is_on: bool,
    /// Receiver: a mark arrived, and no CWR since.
    pub(super) echoes: bool,
    /// Sender: the next new data says that the window was reduced.
    pub(super) owes_cwr: bool,
    /// Sender: no further reduction until this is acknowledged.
    pub(super) reduced_to: u64,
}

impl EcnState {
    /// A segment with data, or not, arrived at the receiver.
    pub(super) fn on_arrival(&mut self, is_marked: bool, has_cwr: bool) {
        if !self.is_on {
            return;
        }
        if has_cwr {
            self.echoes = false;
        }
        if is_marked {
            self.echoes = true;
        }
    }
}
