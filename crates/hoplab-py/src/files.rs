//! Files that a scenario names, read for the engine: relative to the scenario's folder, unpacked if they are gzip.

use flate2::read::MultiGzDecoder;
use hoplab::scenario::{NamedFile, ParsedScenario, ScenarioError, files_named};
use std::fs::{self, File, FileType};
use std::io::{self, Read};
use std::path::Path;

/// Longest text that is read: some three million movements.
const MAX_TEXT: u64 = 256 << 20;

/// First bytes of a gzip file.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Parses a scenario, with the files that it names.
///
/// # Errors
/// Everything that is wrong with the scenario, and the first thing that is wrong with a file.
pub(crate) fn parse(text: &str, path: &str, overrides: &[(String, String)]) -> Result<ParsedScenario, ScenarioError> {
    let folder = Path::new(path).parent().unwrap_or(Path::new(""));
    let files: Vec<NamedFile> = files_named(text, path, overrides)
        .into_iter()
        .map(|name| {
            let place = folder.join(&name);
            NamedFile { name, path: place.display().to_string(), text: read(&place) }
        })
        .collect();
    ParsedScenario::parse(text, path, overrides, &files)
}

/// Opens a regular file; a FIFO would wait for a writer, and a device need not end.
fn open(path: &Path) -> io::Result<File> {
    let is_regular = |file_type: FileType| match kind_of(file_type) {
        "a file" => Ok(()),
        "a directory" => Err(io::ErrorKind::IsADirectory.into()),
        kind => Err(io::Error::other(format!("{} is {kind}, expected a regular file", path.display()))),
    };
    is_regular(fs::metadata(path)?.file_type())?;
    let file = File::open(path)?;
    is_regular(file.metadata()?.file_type())?;
    Ok(file)
}

/// The type of a file, with an article.
fn kind_of(file_type: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        if file_type.is_fifo() {
            return "a FIFO";
        }
        if file_type.is_socket() {
            return "a socket";
        }
        if file_type.is_char_device() || file_type.is_block_device() {
            return "a device";
        }
    }
    if file_type.is_dir() { "a directory" } else { "a file" }
}

/// The text of a file; or the problem with it, in which `{}` is to be replaced by its name in the scenario.
fn read(path: &Path) -> Result<String, String> {
    let unreadable = |error: &io::Error| match error.kind() {
        io::ErrorKind::NotFound => format!("{{}}: file not found: {}", path.display()),
        io::ErrorKind::IsADirectory => format!("{{}}: {} is a directory", path.display()),
        _ => format!("{{}}: cannot be read: {error}"),
    };
    let mut bytes = open(path).and_then(limited).map_err(|error| unreadable(&error))?;
    if bytes.starts_with(&GZIP) {
        bytes = limited(MultiGzDecoder::new(&bytes[..]))
            .map_err(|error| format!("{{}}: cannot be decompressed: {error}"))?;
    }
    if bytes.len() as u64 > MAX_TEXT {
        return Err(format!("{{}}: size exceeds {} MiB", MAX_TEXT >> 20));
    }
    text_of(bytes, path).map(without_mark)
}

/// Text as UTF-8, or else as Latin-1: old files of ns-2 have names in comments. Python files are UTF-8.
fn text_of(bytes: Vec<u8>, path: &Path) -> Result<String, String> {
    let is_python = path.extension().is_some_and(|ending| ending == "py");
    String::from_utf8(bytes).or_else(|error| {
        let at = error.utf8_error().valid_up_to();
        let bytes = error.into_bytes();
        if is_python || bytes.contains(&0) {
            return Err(format!("{{}}: not UTF-8 text: byte {at}"));
        }
        Ok(bytes.into_iter().map(char::from).collect())
    })
}

/// All bytes, but at most one more than [`MAX_TEXT`].
fn limited(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(MAX_TEXT + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Text without the byte order mark that some editors write in front.
fn without_mark(text: String) -> String {
    text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)
}
