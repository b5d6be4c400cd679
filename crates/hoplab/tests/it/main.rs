//! The engine's integration tests, one program: `cargo test -p hoplab --test it airtime::` runs those of `airtime.rs`.
//!
//! What they read is beside this folder. `soak` is a program of its own, which has a profile; fuzz targets take parts of
//! both.

mod airtime;
mod airtime_fq;
mod ampdu;
mod bad_scenarios;
mod conservation;
mod controllers;
mod determinism;
mod edca;
mod errors;
mod examples;
mod exchange;
mod explicit_feedback;
mod fingerprints;
mod fuzz_corpus;
mod gateways;
mod hop_by_hop;
mod links;
mod lred;
mod mac_timelines;
mod mobility_files;
mod mobility_random;
mod muzha;
mod observed;
mod own_controllers;
mod radio_links;
mod radios;
mod radios_routing;
mod random;
mod relays;
mod results;
mod routing_aodv;
mod routing_dsdv;
mod routing_dsr;
mod routing_hwmp;
mod routing_lab;
mod routing_olsr;
mod samples;
mod scenario_fuzz;
mod scenario_messages;
mod scenario_roundtrip;
mod sinr;
mod split_tcp;
mod traffic;
mod trajectories;
mod transport_curves;
mod transport_fuzz;
mod transport_ns2;
mod transport_pipe;
mod transport_scripts;
mod wifi;
mod wired_transports;
mod wires;
mod workloads;

#[allow(dead_code, reason = "the soak uses more of it")]
#[path = "../soak/check.rs"]
mod check;
#[path = "../soak/draft.rs"]
mod draft;
#[path = "../hints/mod.rs"]
mod hints;
#[path = "../soak/imports.rs"]
mod imports;
#[path = "../fuzz/targets.rs"]
mod targets;
#[allow(dead_code, reason = "the soak uses more of it")]
#[path = "../soak/variables.rs"]
mod variables;
