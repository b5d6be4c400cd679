//! Applications, one file each. `app/list.rs` has their rows.

mod adhoc_probe;
mod cbr;
mod ftp;
mod on_off;
mod poisson;
mod voip;
mod winf_probe;

pub use adhoc_probe::AdhocProbe;
pub use cbr::Cbr;
pub use ftp::Ftp;
pub use on_off::OnOff;
pub use poisson::Poisson;
pub use voip::Voip;
pub use winf_probe::WinfProbe;
