//! Traffic files: those of `cbrgen`, and others as ns-2.35 runs them.

use super::*;
use crate::kernel::{NodeId, Rate, Span, Time};

const CBR: &str = "#\n# nodes: 5\n\n# 1 connecting to 2 at time 2.5568388786897245\n#\nset udp_(0) [new Agent/UDP]\n\
    $ns_ attach-agent $node_(1) $udp_(0)\nset null_(0) [new Agent/Null]\n$ns_ attach-agent $node_(2) $null_(0)\n\
    set cbr_(0) [new Application/Traffic/CBR]\n$cbr_(0) set packetSize_ 512\n$cbr_(0) set interval_ 0.25\n\
    $cbr_(0) set random_ 1\n$cbr_(0) set maxpkts_ 10000\n$cbr_(0) attach-agent $udp_(0)\n\
    $ns_ connect $udp_(0) $null_(0)\n$ns_ at 2.5568388786897245 \"$cbr_(0) start\"\n#\n#Total sources/connections: 1/1\n";
const TCP: &str = "set tcp_(0) [$ns_ create-connection  TCP $node_(4) TCPSink $node_(0) 0]\n\
    $tcp_(0) set window_ 32\n$tcp_(0) set packetSize_ 512\nset ftp_(0) [$tcp_(0) attach-source FTP]\n\
    $ns_ at 56.333 \"$ftp_(0) start\"\n";

fn flow() -> ImportedFlow {
    ImportedFlow {
        line: 17,
        src: NodeId(1),
        dst: NodeId(2),
        segment: 512,
        start: Time(2_556_838_879),
        stop: None,
        max_packets: Some(10_000),
        source: ImportedSource::Cbr { interval: Span::from_millis(250), random: true },
        carrier: ImportedCarrier::Udp { longest: None },
    }
}

fn flows(text: &str) -> Vec<ImportedFlow> {
    cbrgen(text, "t", 5).unwrap_or_else(|error| panic!("{error}\n{text}")).flows
}

fn warnings(text: &str) -> Vec<String> {
    cbrgen(text, "t", 5).unwrap_or_else(|error| panic!("{error}\n{text}")).warnings
}

fn refusal(text: &str) -> String {
    let error = cbrgen(text, "cbr.tcl", 5).expect_err(text);
    error.hint.iter().fold(error.to_string(), |whole, hint| format!("{whole}; {hint}"))
}

/// CBR from node 0 to node 1 without the statements for packets and starts.
fn cbr(more: &str) -> String {
    format!(
        "set udp [new Agent/UDP]\n$ns_ attach-agent $node_(0) $udp\nset null [new Agent/Null]\n\
         $ns_ attach-agent $node_(1) $null\nset cbr [new Application/Traffic/CBR]\n$cbr attach-agent $udp\n\
         $ns_ connect $udp $null\n{more}"
    )
}

fn secs(secs: f64) -> Time {
    Time::from_secs(secs)
}

#[test]
fn files_of_cbrgen_are_read() {
    assert_eq!(flows(CBR), [flow()]);
    assert_eq!(flows(&CBR.replace('\n', "\r\n")), [flow()], "line ends of Windows");
    assert_eq!(warnings(CBR), [""; 0]);
    let tcp = ImportedFlow {
        line: 24,
        src: NodeId(4),
        dst: NodeId(0),
        segment: 512,
        start: Time(56_333_000_000),
        stop: None,
        max_packets: None,
        source: ImportedSource::Ftp,
        carrier: ImportedCarrier::Tcp { transport: "tahoe", window: 32, is_linux: false, is_delayed: false },
    };
    assert_eq!(flows(&format!("\u{feff}{CBR}{TCP}")), [flow(), tcp]);
}

/// ns-2.35 sends the packets of both.
#[test]
fn number_that_is_used_twice_makes_two_flows() {
    let second = CBR.replace("node_(1)", "node_(3)").replace("512", "256").replace("at 2.55", "at 3.55");
    let both = flows(&format!("{CBR}{second}"));
    let other = ImportedFlow { line: 36, src: NodeId(3), segment: 256, start: Time(3_556_838_879), ..flow() };
    assert_eq!(both, [flow(), other.clone()]);
    // A script in braces names what the variable holds when it runs: the first application is never started.
    let braced = |text: &str| text.replace("\"$cbr_(0) start\"", "{$cbr_(0) start}");
    assert_eq!(
        refusal(&format!("{}{second}", braced(CBR))),
        "cbr.tcl:10: cbr_(0) has no start: use $ns_ at <t> \"cbr_(0) start\""
    );
    assert_eq!(flows(&format!("{CBR}{}", braced(&second))), [flow(), other]);
    let tcp = TCP.replace("56.333", "57");
    let starts: Vec<Time> = flows(&format!("{TCP}{tcp}")).iter().map(|flow| flow.start).collect();
    assert_eq!(starts, [secs(56.333), secs(57.0)]);
}

#[test]
fn every_start_is_a_flow() {
    let text = cbr("$cbr set interval_ 0.1\n$ns_ at 1 \"$cbr start\"\n$ns_ at 3.0 \"$cbr stop\"\n\
        $ns_ at 2.05 \"$cbr start\"\n$ns_ at 4.0 \"$cbr start\"\n$ns_ at 5 \"$cbr stop\"\n$ns_ at 6 \"$cbr stop\"");
    let periods =
        |text: &str| -> Vec<_> { flows(text).iter().map(|flow| (flow.start, flow.stop, flow.max_packets)).collect() };
    let ends = [(1.0, 2.05), (2.05, 3.0), (4.0, 5.0)].map(|(start, stop)| (secs(start), Some(secs(stop))));
    assert_eq!(periods(&text), ends.map(|(start, stop)| (start, stop, None)));
    assert_eq!(
        warnings(&text),
        ["t:11: start of cbr restarts the period of line 9", "t:14: stop of cbr ignored: not started"]
    );
    // In ns-2.35 eleven, four and one of 15 packets.
    let limited = text.replace("$ns_ at 1 ", "$cbr set maxpkts_ 15\n$ns_ at 1 ");
    let limits: Vec<_> = periods(&limited).iter().map(|(_, _, limit)| limit.expect("a limit")).collect();
    assert_eq!(limits, [15, 4, 1]);
    let random = limited.replace("$cbr set maxpkts_ 15", "$cbr set random_ 1; $cbr set maxpkts_ 15");
    assert!(refusal(&random).contains("maxpkts_ of cbr may expire before its next start"));
    assert_eq!(periods(&random.replace("maxpkts_ 15", "maxpkts_ 10000")).len(), 3);
}

#[test]
fn packets_longer_than_a_datagram_are_split() {
    let start = "\n$ns_ at 1 \"$cbr start\"";
    let carrier = |more: &str| {
        let flow = flows(&cbr(&format!("{more}{start}"))).remove(0);
        (flow.segment, flow.carrier)
    };
    let split = |bytes, longest| (bytes, ImportedCarrier::Udp { longest });
    assert_eq!(carrier("$cbr set packetSize_ 1024"), split(1024, Some(1000)));
    assert_eq!(carrier("$cbr set packetSize_ 1000"), split(1000, None));
    assert_eq!(carrier("$cbr set packetSize_ 1024; $udp set packetSize_ 1500"), split(1024, None));
    let text = cbr(&format!("$cbr set packetSize_ 1024{start}"));
    let text = format!("Agent/UDP set packetSize_ 1500\n{text}");
    assert_eq!(flows(&text)[0].carrier, ImportedCarrier::Udp { longest: None });
}

#[test]
fn rates_and_intervals_are_those_of_ns_2() {
    let interval = |more: &str| match flows(&cbr(&format!("{more}\n$ns_ at 1 \"$cbr start\"")))[0].source {
        ImportedSource::Cbr { interval, .. } => interval,
        other => panic!("{other:?}"),
    };
    assert_eq!(interval(""), Span::from_micros(3750));
    assert_eq!(interval("$cbr set packetSize_ 512; $cbr set rate_ 64.0kb"), Span::from_millis(64));
    assert_eq!(interval("$cbr set packetSize_ 512; $cbr set interval_ 100ms"), Span::from_millis(100));
    // The rate is that of 210 bytes.
    assert_eq!(interval("$cbr set interval_ 0.1; $cbr set packetSize_ 512").0, 243_809_524);
}

#[test]
fn agents_of_hand_kept_files_are_read() {
    let text = |agent: &str, sink: &str| {
        format!(
            "set ns [Simulator instance]\nset tcp [new Agent/{agent}]\n$tcp set class_ 2; $tcp set fid_ 1\n\
             set sink [new Agent/{sink}]\n$ns attach-agent $n0 $tcp\n$n3 attach $sink\n$ns connect $tcp $sink\n\
             set ftp [new Application/FTP]\n$ftp attach-agent $tcp\n$ns color 1 Blue\n\
             $ns at 0.5 \"$ftp start\"; $ns at 4.5 \"$ftp stop\"\n$tcp set minrto_ 0.2"
        )
    };
    for (agent, sink, transport) in [
        ("TCP", "TCPSink", "tahoe"),
        ("TCP/Reno", "TCPSink", "reno"),
        ("TCP/Newreno", "TCPSink", "new_reno"),
        ("TCP/Sack1", "TCPSink/Sack1", "sack"),
        ("TCP/Vegas", "TCPSink", "vegas"),
    ] {
        let flow = flows(&text(agent, sink)).remove(0);
        let carrier = ImportedCarrier::Tcp { transport, window: 20, is_linux: false, is_delayed: false };
        assert_eq!((flow.carrier, flow.segment, flow.stop), (carrier, 1000, Some(secs(4.5))), "{agent}");
        assert_eq!((flow.src, flow.dst), (NodeId(0), NodeId(3)));
    }
    let linux = text("TCP/Linux", "TCPSink/Sack1/DelAck") + "\n$ns at 0 \"$tcp select_ca cubic\"";
    let carrier = ImportedCarrier::Tcp { transport: "cubic", window: 20, is_linux: true, is_delayed: true };
    assert_eq!(flows(&linux)[0].carrier, carrier);
    assert!(
        refusal(&linux.replace("cubic", "hybla")).ends_with("use reno, vegas, veno, westwood, bic, cubic or compound")
    );
    assert_eq!(warnings(&text("TCP/Sack1", "TCPSink")), ["t:4: Agent/TCPSink sends SACK blocks to tcp, unlike ns-2"]);
    let produce = text("TCP", "TCPSink").replace("$ftp start", "$ftp produce 100");
    assert_eq!(flows(&produce)[0].max_packets, Some(100));
    assert_eq!(
        refusal(&text("TCP/FullTcp", "TCPSink")),
        "cbr.tcl:2: \"Agent/TCP/FullTcp\" is not supported; \
         use Agent/TCP/Reno, Newreno or Sack1 with Agent/TCPSink: connections have one direction"
    );
    assert_eq!(
        refusal(&text("TCP", "TCPSink").replace("minrto_ 0.2", "minrto_ 1")),
        "cbr.tcl:12: minrto_ of TCP agents is not supported in a traffic file; \
         set tcp.min_rto in the scenario, and remove the line"
    );
}

#[test]
fn bursts_are_read() {
    let text = cbr("$ns_ at 1 \"$cbr start\"").replace("Traffic/CBR", "Traffic/Exponential");
    let more = "\n$cbr set burst_time_ 500ms; $cbr set idle_time_ 0.25; $cbr set rate_ 100k; $cbr set packetSize_ 200";
    let source =
        ImportedSource::OnOff { rate: Rate(1e5), on_mean: Span::from_millis(500), off_mean: Span::from_millis(250) };
    let flow = flows(&(text.clone() + more)).remove(0);
    assert_eq!((flow.source, flow.segment), (source, 200));
    assert!(refusal(&text.replace("Exponential", "Pareto")).ends_with("or a [[flow]] with app = \"on_off\""));
}

#[test]
fn what_replaces_something_is_warned_of() {
    let text = cbr("$cbr set packetSize_ 512\n$cbr set packetSize_ 256\n$ns_ connect $udp $null\n\
        set idle [new Agent/UDP]\n$ns_ at 1 \"$cbr start\"");
    assert_eq!(
        warnings(&text),
        [
            "t:9: packetSize_ of cbr overrides line 8",
            "t:10: connect of udp overrides line 7",
            "t:11: idle has no application and sends no packets",
        ]
    );
    for (more, message) in [
        ("$cbr attach-agent $udp", "cbr.tcl:8: cbr has a second agent: use one attach-agent"),
        ("$ns_ attach-agent $node_(2) $udp", "cbr.tcl:8: udp has a second node"),
        (
            "$ns_ at 1 \"$cbr start\"\n$ns_ at 2 \"$cbr set rate_ 1Mb\"",
            "cbr.tcl:9: rate_ of cbr must not change after start",
        ),
    ] {
        assert!(refusal(&cbr(more)).starts_with(message), "{}", refusal(&cbr(more)));
    }
}

#[test]
fn applications_share_an_agent_of_datagrams_only() {
    let second = "set two [new Application/Traffic/CBR]\n$two attach-agent $udp\n$ns_ at 2 \"$two start\"\n";
    assert_eq!(flows(&cbr(&format!("{second}$ns_ at 1 \"$cbr start\""))).len(), 2);
    let tcp = cbr(&format!("$cbr set packetSize_ 1000\n{second}$two set packetSize_ 1000\n$ns_ at 1 \"$cbr start\""));
    let tcp = tcp.replace("Agent/UDP", "Agent/TCP").replace("Agent/Null", "Agent/TCPSink");
    assert!(refusal(&tcp).contains("udp has two applications"), "{}", refusal(&tcp));
}

#[test]
fn nodes_may_be_numbered_otherwise() {
    let from = |first, numbers: Option<&[u32]>| {
        parse(CBR, "t", &Nodes { count: 2, numbers, first })
            .map(|traffic| (traffic.flows[0].src.0, traffic.flows[0].dst.0))
    };
    assert_eq!(from(1, None), Ok((0, 1)));
    assert_eq!(from(0, Some(&[2, 1])), Ok((1, 0)));
    let error = from(0, None).expect_err("no node 2");
    assert_eq!(error.message, "node 2 does not exist: expected 0 to 1");
    assert_eq!(error.hint.as_deref(), Some("if the file numbers nodes from 1, set traffic.first_node = 1"));
}

#[test]
fn statements_of_movement_files_are_passed_over() {
    let movement = "$node_(0) set X_ 5\n$god_ set-dist 0 1 2\n$ns_ at 1 \"$node_(0) setdest 5 6 7\"\n";
    assert_eq!(flows(&format!("{CBR}{movement}")), [flow()]);
}

#[test]
fn refusals_cite_the_line() {
    assert_eq!(refusal(""), "cbr.tcl:1: no traffic in the file");
    let missing = CBR.replace("$node_(2)", "$node_(5)");
    assert!(refusal(&missing).starts_with("cbr.tcl:9: node 5 does not exist: expected 0 to 4"));
    let nan = CBR.replace("0.25", "nan");
    assert_eq!(refusal(&nan), "cbr.tcl:12: \"nan\" is out of range: expected time in seconds from 0 to 1e9");
    let cut = CBR.split("$ns_ at 2").next().expect("its beginning");
    assert_eq!(refusal(cut), "cbr.tcl:10: cbr_(0) has no start: use $ns_ at <t> \"cbr_(0) start\"");
    let other = format!("{CBR}$ns_ at 1.0 \"exit\"\n");
    assert!(refusal(&other).starts_with("cbr.tcl:20: unsupported statement \"exit\""));
    let zero = CBR.replace("interval_ 0.25", "interval_ 0");
    assert!(refusal(&zero).contains("must be greater than 0 s"), "{}", refusal(&zero));
    assert!(refusal(&"x".repeat(10_000_000)).len() < 300);
    assert!(refusal("$node_(99999999999999999999) set cbr_(-1) ((((").contains("is not a node"));
    for (text, message) in [
        ("$ns_ at 1 \"$cbr_(0) start\"", "cbr.tcl:1: undefined variable \"cbr_(0)\""),
        (
            "for {set i 0} {$i < 3} {incr i} {}",
            "cbr.tcl:1: unsupported statement \"for {set i 0} {$i < 3} {incr i} {}\"",
        ),
        ("\n\nset a [expr 5]", "cbr.tcl:3: unsupported statement \"expr 5\""),
        ("Mac/802_11 set dataRate_ 11Mb", "cbr.tcl:1: \"Mac/802_11\" is not a traffic class"),
    ] {
        assert!(refusal(text).starts_with(message), "{}", refusal(text));
    }
    let connected = cbr("").replace("$ns_ attach-agent $node_(1) $null\n", "");
    assert!(refusal(&connected).contains("null has no node before connect"));
    let sink = cbr("$ns_ at 1 \"$cbr start\"").replace("Agent/Null", "Agent/TCPSink");
    assert!(refusal(&sink).contains("Agent/UDP is connected to Agent/TCPSink"));
}
