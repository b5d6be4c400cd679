# Numbers that scripts for the new form compute, one per line. Give the type of data as -v kind=cbr.

{
  mark = $1; split("", field)
  for (i = 2; i < NF; i++) if ($i ~ /^-[A-Z][a-z]+$/) field[$i] = $(i + 1)
  time = $3; layer = field["-Nl"]; reason = field["-Nw"]; packet = field["-Ii"]
  type = ("-It" in field) ? field["-It"] : ("-P" in field) ? "ARP" : "control"
}

mark == "M" { next }
mark == "s" && layer == "AGT" && type == kind { sent++; began[packet] = time; if (!first) first = time }
mark == "r" && layer == "AGT" && type == kind {
  received++; bytes += field["-Il"]; last = time
  if (packet in began) { delay += time - began[packet]; counted++; delete began[packet] }
}
(mark == "s" || mark == "f") && layer == "RTR" && (type == "AODV" || type == "message") { routing++ }
layer == "MAC" && mark == "s" && (type == "control" || type == "ARP") { control++ }
mark == "f" && layer == "RTR" && type == kind { forwards++ }
mark == "d" && layer != "MAC" && type == kind { drops++; by[layer reason]++ }
mark == "d" && reason == "COL" { collisions++ }
mark == "d" && reason == "RET" && type != "control" { retries++ }

END {
  if (received) { load = routing / received; overhead = (routing + control) / received; hops = forwards / received + 1 }
  print "sent", sent + 0
  print "received", received + 0
  printf "ratio %.6f\n", sent ? received / sent : 0
  printf "delay_s %.6f\n", counted ? delay / counted : 0
  printf "throughput_kbps %.6f\n", (last > first) ? bytes * 8 / (last - first) / 1000 : 0
  print "routing", routing + 0
  printf "load %.6f\n", load
  printf "overhead %.6f\n", overhead
  printf "hops %.6f\n", hops
  print "drops", drops + 0
  print "queue_full", by["IFQ---"] + 0
  print "no_route", by["RTRNRTE"] + 0
  print "callback", by["RTRCBK"] + 0
  print "collisions", collisions + 0
  print "retries", retries + 0
}
