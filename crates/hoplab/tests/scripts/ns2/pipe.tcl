# One TCP of ns-2 over one duplex link with a queue without limit, and listed losses on either way.
# ns pipe.tcl -agent Newreno -window 20 -rate 1e6 -delay 20 -until 2 -data 30,33 -acks 7 -out trace
array set o {agent Newreno sink TCPSink window 20 rate 1e6 delay 20 until 2 data {} acks {} steady 0 cbr 0 ca {} start 0 out out.tr}
foreach {k v} $argv { set o([string range $k 1 end]) $v }
global defaultRNG; $defaultRNG seed 1
set ns [new Simulator]
set f [open $o(out) w]
set a [$ns node]; set b [$ns node]
$ns duplex-link $a $b $o(rate) $o(delay)ms DropTail
$ns queue-limit $a $b 100000
$ns queue-limit $b $a 100000
set t [expr {$o(agent) eq "Tahoe" ? [new Agent/TCP] : [new Agent/TCP/$o(agent)]}]
set s [new Agent/$o(sink)]
# A fine clock: its phase is random, and not to be seen.
$t set window_ $o(window); $t set packetSize_ 1000; $t set tcpTick_ 0.0001
if {$o(agent) eq "Newreno"} { $t set newreno_changes1_ [expr {!$o(steady)}] }
$ns attach-agent $a $t; $ns attach-agent $b $s; $ns connect $t $s
if {$o(ca) ne ""} {
  # A module of Linux, on its sender with timestamps; it sets its own tick of 1 ms.
  $t set timestamps_ true; $s set ts_echo_rfc1323_ true
  $ns at 0.0 "$t select_ca $o(ca)"
}
proc lossy {a b list} {
  global ns
  if {$list eq ""} return
  set e [new ErrorModel/List]; $e droplist [split $list ,]; $e drop-target [new Agent/Null]
  $ns link-lossmodel $e $a $b
}
lossy $a $b $o(data)
lossy $b $a $o(acks)
$t attach $f; $t trace cwnd_
$ns trace-queue $a $b $f
if {$o(cbr)} {
  set app [new Application/Traffic/CBR]; $app set packetSize_ 1000; $app set rate_ $o(cbr)
} else { set app [new Application/FTP] }
$app attach-agent $t
$ns at $o(start) "$app start"
$ns at $o(until) "flush $f; exit 0"
$ns run
