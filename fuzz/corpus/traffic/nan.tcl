# one flow, whose packets have no distance
set udp_(0) [new Agent/UDP]
$ns_ attach-agent $node_(1) $udp_(0)
set cbr_(0) [new Application/Traffic/CBR]
$cbr_(0) set interval_ NaN
