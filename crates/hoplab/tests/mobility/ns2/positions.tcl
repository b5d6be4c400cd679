# Positions of 4 nodes over 60 s as ns-2.35 has them: ns positions.tcl <movement file>, on 500 m x 400 m.
# The numbers after the header of the .csv files beside this one are its output.
set ns_ [new Simulator]
set topo [new Topography]
$topo load_flatgrid 500 400
set god_ [create-god 4]
$ns_ trace-all [open /dev/null w]
$ns_ node-config -adhocRouting DumbAgent -llType LL -macType Mac/802_11 -ifqType Queue/DropTail/PriQueue -ifqLen 50 \
    -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy \
    -channel [new Channel/WirelessChannel] -topoInstance $topo \
    -agentTrace OFF -routerTrace OFF -macTrace OFF -movementTrace OFF
for {set i 0} {$i < 4} {incr i} {
    set node_($i) [$ns_ node]
    $node_($i) random-motion 0
}
source [lindex $argv 0]
# A position is brought up to date when it is logged.
proc show {} {
    global ns_ node_
    for {set i 0} {$i < 4} {incr i} {
        $node_($i) log-movement
        puts "[$ns_ now],$i,[format %.9f [$node_($i) set X_]],[format %.9f [$node_($i) set Y_]]"
    }
    $ns_ at [expr [$ns_ now] + 1.0] show
}
$ns_ at 0.25 show
$ns_ at 60 {exit 0}
$ns_ run
