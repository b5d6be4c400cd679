//! Codes of names that the trace does not know in advance, such as message types of routing protocols.

/// Code of a column without a value.
pub const NOTHING: u8 = u8::MAX;

/// Names in the order of their codes. Names that a layer brings along receive codes as they occur.
#[derive(Clone, Debug)]
pub struct Names(Vec<&'static str>);

impl Names {
    /// These names, with codes from 0.
    pub fn new(known: impl IntoIterator<Item = &'static str>) -> Names {
        Names(known.into_iter().collect())
    }

    /// The code of a name; [`NOTHING`] if there is no code left.
    pub(super) fn code(&mut self, name: &'static str) -> u8 {
        let at = self.0.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.0.push(name);
            self.0.len() - 1
        });
        u8::try_from(at).unwrap_or(NOTHING)
    }

    /// All names, in the order of their codes.
    pub fn as_slice(&self) -> &[&'static str] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_name_receives_the_next_code() {
        let mut names = Names::new(["a", "b"]);
        assert_eq!((names.code("b"), names.code("c"), names.code("a"), names.code("c")), (1, 2, 0, 2));
        assert_eq!(names.as_slice(), ["a", "b", "c"]);
    }
}
