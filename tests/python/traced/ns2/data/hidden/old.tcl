# hidden: written by `hoplab crosscheck ns2` for ns-2.35 (Debian package ns2)

# Procedures for the scripts that hoplab writes for ns-2.35. Usage: ns FILE SEED [RESULTS]
# Writes lines "HOPLAB key=value ...", the last one "HOPLAB end", to RESULTS (default: standard
# output, where ns-2's own C output may break into a line).

if {[llength $argv] < 1 || [llength $argv] > 2} { puts stderr "usage: ns FILE SEED \[RESULTS\]"; exit 2 }
set seed [lindex $argv 0]
set results [expr {[llength $argv] == 2 ? [open [lindex $argv 1] w] : "stdout"}]
global defaultRNG
$defaultRNG seed $seed

# A static next hop. ns-2 has no static wireless routing, so the packet rides to the next hop as
# the content of an Encapsulator packet of the same size (plus extra bytes, if any), which the
# next hop's Decapsulator opens and hands to its own classifier. The encapsulated packet is
# addressed to the next hop, so ARP asks for that one; nothing calls back when the MAC gives up.
proc static_hop {i dst j} {
  global ns nd opener extra
  set wrap [new Agent/Encapsulator]
  $wrap set status_ 1
  $wrap set overhead_ $extra
  $ns attach-agent $nd($i) $wrap
  $wrap target [$nd($i) set ll_(0)]
  $ns connect $wrap $opener($j)
  [$nd($i) set classifier_] install $dst $wrap
}

# Between radio and MAC of each node: every frame is spoiled with the same probability.
proc uniform_error {} {
  global error_rate
  set model [new ErrorModel]
  $model unit pkt
  $model set rate_ $error_rate
  $model ranvar [new RandomVariable/Uniform]
  return $model
}

# The same place: every frame is spoiled that begins in the bad state, whose periods are exponential in time.
proc two_state_error {} {
  global good_mean bad_mean
  set good [new RandomVariable/Exponential]
  $good set avg_ $good_mean
  set bad [new RandomVariable/Exponential]
  $bad set avg_ $bad_mean
  return [new ErrorModel/TwoState $good $bad time]
}

# No path: the packet vanishes at its source.
proc static_void {i dst} {
  global nd
  [$nd($i) set classifier_] install $dst [new Agent/Null]
}

# One 40-byte packet straight to the link layer at time t: resolves the address of j at i.
proc nudge {t i j} {
  global ns nd null
  set u [new Agent/UDP]
  $ns attach-agent $nd($i) $u
  $u target [$nd($i) set ll_(0)]
  if {![info exists null($j)]} { set null($j) [new Agent/Null]; $ns attach-agent $nd($j) $null($j) }
  $ns connect $u $null($j)
  $ns at $t "$u send 40"
}

# Mean of cwnd_, sampled every 0.1 s from the start of the flow's window on.
proc sample_cwnd {f} {
  global ns tcp cwnd_sum cwnd_count
  set cwnd_sum($f) [expr {$cwnd_sum($f) + [$tcp($f) set cwnd_]}]
  incr cwnd_count($f)
  $ns at [expr {[$ns now] + 0.1}] "sample_cwnd $f"
}

proc acked {f} {
  global tcp
  set a [$tcp($f) set ack_]
  return [expr {$a < 0 ? 0 : $a}]
}

proc open_tcp {f} {
  global tcp first cwnd_sum cwnd_count
  set first($f) [list [acked $f] [$tcp($f) set ndatapack_] [$tcp($f) set nrexmitpack_] [$tcp($f) set nrexmit_]]
  set cwnd_sum($f) 0.0
  set cwnd_count($f) 0
  sample_cwnd $f
}

proc close_tcp {f} {
  global tcp first cwnd_sum cwnd_count results
  foreach {ack sent again late} $first($f) break
  puts $results "HOPLAB flow=$f segments=[expr {[acked $f]-$ack}] sent=[expr {[$tcp($f) set ndatapack_]-$sent}]\
 retransmissions=[expr {[$tcp($f) set nrexmitpack_]-$again}] timeouts=[expr {[$tcp($f) set nrexmit_]-$late}]\
 cwnd=[expr {$cwnd_sum($f)/$cwnd_count($f)}]"
}

proc open_udp {f} { global sink first; set first($f) [$sink($f) set npkts_] }
proc close_udp {f} {
  global sink first results
  puts $results "HOPLAB flow=$f segments=[expr {[$sink($f) set npkts_]-$first($f)}]"
}

# radio and MAC
Phy/WirelessPhy set Pt_ 0.28183815
Phy/WirelessPhy set freq_ 914000000.0
Phy/WirelessPhy set L_ 1.0
Phy/WirelessPhy set RXThresh_ 3.651999996348e-10
Phy/WirelessPhy set CSThresh_ 3.5947602383716677e-10
Phy/WirelessPhy set CPThresh_ 10.0
Antenna/OmniAntenna set Z_ 1.5
Antenna/OmniAntenna set Gt_ 1.0
Antenna/OmniAntenna set Gr_ 1.0
Mac/802_11 set dataRate_ 2000000.0
Mac/802_11 set basicRate_ 1000000.0
Mac/802_11 set ShortRetryLimit_ 7
Mac/802_11 set LongRetryLimit_ 4
Mac/802_11 set CWMin_ 31
Mac/802_11 set CWMax_ 1023
Mac/802_11 set RTSThreshold_ 3000
Mac/802_11 set PreambleLength_ 144
Mac/802_11 set PLCPHeaderLength_ 48
Mac/802_11 set PLCPDataRate_ 1.0e6
LL set delay_ 2.5e-05
set extra 0

# nodes
set ns [new Simulator]
$ns trace-all [open trace.$seed.tr w]
set topo [new Topography]
$topo load_flatgrid 420 20
create-god 3
$ns node-config -adhocRouting AODV -llType LL -macType Mac/802_11 -ifqType Queue/DropTail/PriQueue -ifqLen 50 -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy -channel [new Channel/WirelessChannel] -topoInstance $topo -agentTrace ON -routerTrace ON -macTrace ON -movementTrace OFF
set i 0
foreach {x y} {
  10.0 10.0
  210.0 10.0
  410.0 10.0
} {
  set nd($i) [$ns node]; $nd($i) random-motion 0
  $nd($i) set X_ $x; $nd($i) set Y_ $y; $nd($i) set Z_ 0.0
  incr i
}

# flow 0: udp from 0 to 1
set udp(0) [new Agent/UDP]; $udp(0) set packetSize_ 512
set sink(0) [new Agent/LossMonitor]
$ns attach-agent $nd(0) $udp(0); $ns attach-agent $nd(1) $sink(0)
$ns connect $udp(0) $sink(0)
set app(0) [new Application/Traffic/CBR]; $app(0) set packetSize_ 512
$app(0) set rate_ 400000.0
$app(0) attach-agent $udp(0)
$ns at 1.0 "$app(0) start"
$ns at 1.0 "open_udp 0"
# flow 1: udp from 2 to 1
set udp(1) [new Agent/UDP]; $udp(1) set packetSize_ 512
set sink(1) [new Agent/LossMonitor]
$ns attach-agent $nd(2) $udp(1); $ns attach-agent $nd(1) $sink(1)
$ns connect $udp(1) $sink(1)
set app(1) [new Application/Traffic/CBR]; $app(1) set packetSize_ 512
$app(1) set rate_ 400000.0
$app(1) attach-agent $udp(1)
$ns at 1.5 "$app(1) start"
$ns at 1.5 "open_udp 1"

# numbers of flows in the trace
$udp(0) set fid_ 0
$udp(1) set fid_ 1

$ns at 4.0 {
  close_udp 0
  close_udp 1
  puts $results "HOPLAB end"
  flush $results
  exit 0
}
$ns run
