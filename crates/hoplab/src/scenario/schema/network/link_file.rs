//! Files of links: CSV with a header line, and one direction of a link per line.
//!
//! Columns: `from`, `to`; `channel`; one of `power_w`, `power_dbm`, `snr_db`, `path_loss_db`; `delivery`, `delivery_bytes`; `delay_ns`
//! or `distance_m`; `sense_only`, `t_s`, `way`. An empty field is not given. Lines that are empty or begin with `#` are
//! skipped.

use crate::kernel::{Metres, Span, Time, Watts};
use crate::scenario::syntax::suggest::suggest;
use crate::scenario::topology::{LinkRow, LinkWay};

/// A value of a file or list of links that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LinkError {
    /// Line of the file, or index in the list.
    pub(crate) place: u32,
    /// Column or key.
    pub(crate) key: &'static str,
    /// The problem, with the value.
    pub(crate) what: String,
    pub(crate) expected: String,
    pub(crate) hint: Option<String>,
}

impl LinkError {
    pub(crate) fn new(
        place: u32,
        key: &'static str,
        what: impl Into<String>,
        expected: impl Into<String>,
    ) -> LinkError {
        LinkError { place, key, what: what.into(), expected: expected.into(), hint: None }
    }
}

const COLUMNS: [&str; 14] = [
    "from",
    "to",
    "channel",
    "power_w",
    "power_dbm",
    "snr_db",
    "path_loss_db",
    "delivery",
    "delivery_bytes",
    "delay_ns",
    "distance_m",
    "sense_only",
    "t_s",
    "way",
];

/// Latest time, in seconds: no run lasts as long.
const LATEST: f64 = 1e9;

/// Calls `each` with the line and the link of each row.
///
/// # Errors
/// The first value that is wrong, and the first error of `each`.
pub(crate) fn parse(text: &str, mut each: impl FnMut(u32, LinkRow) -> Result<(), LinkError>) -> Result<(), LinkError> {
    let numbered = text.lines().enumerate().map(|(i, line)| (i as u32 + 1, line.trim()));
    let mut lines = numbered.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let Some((line, header)) = lines.next() else {
        return Err(LinkError::new(
            1,
            "file",
            "no header line",
            format!("a line of names from {}", COLUMNS.join(", ")),
        ));
    };
    let columns = columns(line, header)?;
    for (line, text) in lines {
        let fields = fields(text);
        if fields.len() != columns.len() {
            let what = format!("{} fields instead of {}", fields.len(), columns.len());
            return Err(LinkError::new(line, "file", what, "a field for each column of the header"));
        }
        let mut row = LinkRow::default();
        for (&column, field) in columns.iter().zip(&fields) {
            let field = field.trim();
            if !field.is_empty() {
                set(&mut row, line, column, field)?;
            }
        }
        each(line, row)?;
    }
    Ok(())
}

/// The columns of a header.
fn columns(line: u32, header: &str) -> Result<Vec<&'static str>, LinkError> {
    let mut columns: Vec<&'static str> = Vec::new();
    for name in fields(header) {
        let name = name.trim();
        let Some(&column) = COLUMNS.iter().find(|column| **column == name) else {
            let hint = match suggest(name, COLUMNS) {
                Some(column) => format!("did you mean {column}?"),
                None => "hoplab import reads other files, and CSV files with other columns".to_owned(),
            };
            let error = LinkError::new(line, "file", format!("unknown column {name:?}"), COLUMNS.join(", "));
            return Err(LinkError { hint: Some(hint), ..error });
        };
        if columns.contains(&column) {
            return Err(LinkError::new(line, column, "column occurs twice", "each column once"));
        }
        columns.push(column);
    }
    for needed in ["from", "to"] {
        if !columns.contains(&needed) {
            return Err(LinkError::new(line, needed, "missing column", "columns from and to"));
        }
    }
    Ok(columns)
}

/// The fields of a line; one with a comma stands in double quotes.
fn fields(line: &str) -> Vec<String> {
    if !line.contains('"') {
        return line.split(',').map(str::to_owned).collect();
    }
    let (mut fields, mut field, mut is_quoted) = (Vec::new(), String::new(), false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if is_quoted && letters.peek() == Some(&'"') => {
                letters.next();
                field.push('"');
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(std::mem::take(&mut field)),
            other => field.push(other),
        }
    }
    fields.push(field);
    fields
}

fn set(row: &mut LinkRow, line: u32, column: &'static str, field: &str) -> Result<(), LinkError> {
    let wrong = |expected: &str| LinkError::new(line, column, format!("{field:?} is wrong"), expected);
    let real = || field.parse::<f64>().ok().filter(|value| value.is_finite()).ok_or_else(|| wrong("a finite number"));
    let power = |watts: f64| -> Result<_, LinkError> {
        if row.power.is_some() {
            return Err(LinkError::new(line, column, "power_w and power_dbm are both given", "one of them"));
        }
        Ok(Some(Watts(watts)))
    };
    match column {
        "from" => field.clone_into(&mut row.from),
        "to" => field.clone_into(&mut row.to),
        "channel" => row.channel = Some(field.parse().map_err(|_| wrong("the number of a channel"))?),
        "power_w" => row.power = power(real()?)?,
        "power_dbm" => row.power = power(libm::pow(10.0, (real()? - 30.0) / 10.0))?,
        "snr_db" => row.snr_db = Some(real()?),
        "path_loss_db" => row.path_loss_db = Some(real()?),
        "delivery" => row.delivery = Some(real()?),
        "delivery_bytes" => row.delivery_bytes = Some(field.parse().map_err(|_| wrong("a number of bytes"))?),
        "delay_ns" => row.delay = Some(Span(field.parse().map_err(|_| wrong("a whole number of nanoseconds"))?)),
        "distance_m" => row.distance = Some(Metres(real()?)),
        "sense_only" => {
            row.sense_only = Some(match field {
                "true" | "1" | "yes" => true,
                "false" | "0" | "no" => false,
                _ => return Err(wrong("true or false")),
            });
        }
        "t_s" => {
            let at = real().ok().filter(|at| (0.0..=LATEST).contains(at)).ok_or_else(|| wrong("0 to 1e9 seconds"))?;
            row.time = Some(Time::from_secs(at));
        }
        _ => {
            row.way = Some(match field {
                "one" => LinkWay::One,
                "both" => LinkWay::Both,
                _ => return Err(wrong("one or both")),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Result<Vec<LinkRow>, LinkError> {
        let mut rows = Vec::new();
        parse(text, |_, row| {
            rows.push(row);
            Ok(())
        })?;
        Ok(rows)
    }

    #[test]
    fn fields_are_read_by_column() {
        let text = "# made up\nto,from,power_dbm,t_s,way\n\"roof, east\",a,-80,,both\nb,a,,1.5,\n";
        let rows = rows(text).expect("two rows");
        assert_eq!((rows[0].from.as_str(), rows[0].to.as_str(), rows[0].way), ("a", "roof, east", Some(LinkWay::Both)));
        assert!((rows[0].power.expect("a power").0 / 1e-11 - 1.0).abs() < 1e-12);
        assert_eq!((rows[1].power, rows[1].time), (None, Some(Time(1_500_000_000))));
    }

    #[test]
    fn wrong_lines_are_cited() {
        for (text, line, key) in [
            ("", 1, "file"),
            ("from,to,sinr\n", 1, "file"),
            ("from,power_w\n", 1, "to"),
            ("from,to\na\n", 2, "file"),
            ("from,to,snr_db\n\na,b,nan\n", 3, "snr_db"),
            ("from,to,power_w,power_dbm\na,b,1e-9,-60\n", 2, "power_dbm"),
            ("from,to,channel\na,b,5 GHz\n", 2, "channel"),
            ("from,to,t_s\na,b,-1\n", 2, "t_s"),
            ("from,to,way\na,b,back\n", 2, "way"),
            ("from,to,delivery_bytes\na,b,1.5\n", 2, "delivery_bytes"),
        ] {
            let error = rows(text).expect_err(text);
            assert_eq!((error.place, error.key), (line, key), "{text}");
        }
    }
}
