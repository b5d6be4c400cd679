//! The reception model of a run, of any kind: one variant per model, so that the arrival path is compiled for each.

use super::cumulative::Cumulative;
use super::impaired::{Impaired, Impairments};
use super::model::ReceptionModel;
use super::ofdm::Ofdm;
use super::pairwise::Pairwise;
use super::sinr::Sinr;
use crate::kernel::RadioId;
use crate::phy::config::{RadioConfig, RxModel};
use crate::phy::receiver::Radio;

/// A model of any kind.
#[derive(Debug)]
pub enum AnyReception {
    /// Pairwise comparison, without random parts.
    Pairwise(Pairwise),
    /// Pairwise comparison with fading or errors.
    Impaired(Box<Impaired>),
    /// Cumulative interference.
    Cumulative(Box<Cumulative>),
    /// OFDM.
    Ofdm(Box<Ofdm>),
}

/// Kinds of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceptionKind {
    /// [`Pairwise`].
    Pairwise,
    /// [`Impaired`].
    Impaired,
    /// [`Cumulative`].
    Cumulative,
    /// [`Ofdm`].
    Ofdm,
}

/// One kind of model as a type: the arrival path is compiled for each.
pub trait Compiled: ReceptionModel {
    /// The model of a run, if it is of this kind.
    fn of(any: &mut AnyReception) -> Option<&mut Self>;
}

impl Compiled for Pairwise {
    #[inline]
    fn of(any: &mut AnyReception) -> Option<&mut Pairwise> {
        if let AnyReception::Pairwise(model) = any { Some(model) } else { None }
    }
}

impl Compiled for Impaired {
    #[inline]
    fn of(any: &mut AnyReception) -> Option<&mut Impaired> {
        if let AnyReception::Impaired(model) = any { Some(model) } else { None }
    }
}

impl Compiled for Cumulative {
    #[inline]
    fn of(any: &mut AnyReception) -> Option<&mut Cumulative> {
        if let AnyReception::Cumulative(model) = any { Some(model) } else { None }
    }
}

impl Compiled for Ofdm {
    #[inline]
    fn of(any: &mut AnyReception) -> Option<&mut Ofdm> {
        if let AnyReception::Ofdm(model) = any { Some(model) } else { None }
    }
}

impl AnyReception {
    /// The model that `config` names; draws come from `seed`.
    pub(in crate::phy) fn new(config: &RadioConfig, nodes: usize, seed: u64) -> AnyReception {
        let impairments = Impairments::new(config, nodes, seed);
        match config.rx_model {
            RxModel::Sinr if config.phy().standard.is_ofdm() => {
                AnyReception::Ofdm(Box::new(Ofdm::new(config, impairments, nodes, seed)))
            }
            RxModel::Sinr => AnyReception::Cumulative(Box::new(Cumulative::new(config, impairments, nodes, seed))),
            RxModel::Ns2 if impairments.are_none() => AnyReception::Pairwise(Pairwise::new(config)),
            RxModel::Ns2 => AnyReception::Impaired(Box::new(Impaired::new(config, impairments))),
        }
    }

    /// Minimum power of signals that a receiver's model uses, in watts.
    pub(in crate::phy) fn least_power(config: &RadioConfig) -> f64 {
        match config.rx_model {
            RxModel::Sinr => Sinr::least_power(config),
            RxModel::Ns2 => config.cs_threshold.0,
        }
    }

    /// Its kind.
    #[inline]
    pub(in crate::phy) fn kind(&self) -> ReceptionKind {
        match self {
            AnyReception::Pairwise(_) => ReceptionKind::Pairwise,
            AnyReception::Impaired(_) => ReceptionKind::Impaired,
            AnyReception::Cumulative(_) => ReceptionKind::Cumulative,
            AnyReception::Ofdm(_) => ReceptionKind::Ofdm,
        }
    }

    /// The radio of a node has been switched off or on.
    pub(in crate::phy) fn on_switch(&mut self, radio: &mut Radio, own: RadioId, is_on: bool) {
        match self {
            AnyReception::Pairwise(model) => model.on_switch(radio, own, is_on),
            AnyReception::Impaired(model) => model.on_switch(radio, own, is_on),
            AnyReception::Cumulative(model) => model.on_switch(radio, own, is_on),
            AnyReception::Ofdm(model) => model.on_switch(radio, own, is_on),
        }
    }
}
