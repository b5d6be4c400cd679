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
