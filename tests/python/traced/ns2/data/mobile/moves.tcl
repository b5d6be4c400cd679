$ns_ at 8.0 "$node_(2) setdest 1000.0 10.0 50.0"
$ns_ at 13.0 "$node_(2) setdest 410.0 10.0 100.0"
