//! Which node an address belongs to (RFC 3626 sections 4.1 and 5): the main address of a node is the number of its first radio;
//! MID messages make the numbers of further radios known.

use crate::kernel::{RadioId, Time};

/// Further radios of other nodes, by number: the main address of the node, and the time of its end (`I_iface_addr`,
/// `I_main_addr`, `I_time`).
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Interfaces {
    known: Vec<(RadioId, RadioId, Time)>,
}

impl Interfaces {
    /// The main address of the node of an address; the address itself if no MID message has stated it (section 5.5).
    pub(in super::super) fn main_of(&self, address: RadioId) -> RadioId {
        let found = self.known.binary_search_by_key(&address, |&(radio, ..)| radio);
        found.map_or(address, |index| self.known[index].1)
    }

    /// A MID message of the node with main address `origin` has arrived (section 5.4). Calls `on_new` for each radio that was
    /// not known.
    pub(in super::super) fn on_mid(
        &mut self,
        origin: RadioId,
        radios: &[RadioId],
        until: Time,
        mut on_new: impl FnMut(RadioId),
    ) {
        for &radio in radios {
            match self.known.binary_search_by_key(&radio, |&(radio, ..)| radio) {
                Ok(index) => self.known[index] = (radio, origin, until),
                Err(index) => {
                    self.known.insert(index, (radio, origin, until));
                    on_new(radio);
                }
            }
        }
    }

    /// Forgets what has ended.
    pub(in super::super) fn expire(&mut self, now: Time) {
        self.known.retain(|&(.., until)| until > now);
    }

    /// The first time at which something ends; [`Time::NEVER`] if there is nothing.
    pub(in super::super) fn next_end(&self) -> Time {
        self.known.iter().map(|&(.., until)| until).min().unwrap_or(Time::NEVER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_belongs_to_its_node_while_a_message_says_so() {
        let mut interfaces = Interfaces::default();
        let mut new = Vec::new();
        let until = Time::from_secs(15.0);
        interfaces.on_mid(RadioId(2), &[RadioId(9), RadioId(7)], until, |radio| new.push(radio.0));
        interfaces.on_mid(RadioId(2), &[RadioId(7)], Time::from_secs(20.0), |radio| new.push(radio.0));
        assert_eq!(new, [9, 7]);
        assert_eq!([7, 8, 9].map(|address| interfaces.main_of(RadioId(address)).0), [2, 8, 2]);
        assert_eq!(interfaces.next_end(), until);
        interfaces.expire(until);
        assert_eq!([7, 9].map(|address| interfaces.main_of(RadioId(address)).0), [2, 9]);
    }
}
