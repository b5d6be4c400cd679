"""Why rows of `end-to-end` differ: their verdicts are not decisive."""

from __future__ import annotations

from collections.abc import Mapping

ALPHA = (
    "RFC 9438 lets the Reno-friendly estimate grow by 1 segment per round trip above the window of the last loss, "
    "Linux by 0.53: windows here are larger"
)
MARKS = "cause open: with ECN, goodput falls by 5 % in the reference and by 2 % here"
PAIRS = "Linux loses segments in pairs and cuts twice, with or without GSO; ns-3 and the sawtooth lie at 8.7 Mb/s"
TUNING = (
    "the receive window here is twice what arrives per round trip and bounds slow start; Linux's lets it double, so "
    "that 418 segments overflow and ssthresh is lower"
)
WRITES = (
    "the sending program of the reference wrote 64 KiB at a time: segment 46 is short, and Nagle's rule holds the "
    "short last segment until it is acknowledged; here the program writes at once"
)
SYN = "CoDel drops a SYN, which is not ECT; its repetition offers no ECN (RFC 3168), and this connection has losses"
TAILS = "cause open: few transfers make the tail, those whose SYN or last segments a full queue drops"
ARP = "ns-3 delays each ARP request by up to 10 ms; three hops ask in both directions"

WAITS = (
    "cause open: random losses raise the wait of Linux's BBR (8.4 ms without them), and not that of this one; single "
    "acknowledgments (8.6 to 8.8 ms) and bursts of 4 segments (8.9 to 9.1 ms) do not explain it"
)
NS3_OTHERS = (
    "the flow beside LEDBAT has the queue: ns-3's Reno alone has 123 ms in this buffer, Linux's 148, this one 148; "
    "ns-3's CUBIC has no Reno-friendly region"
)
LATE_EXIT = "ns-3's LEDBAT leaves slow start at a loss, this one at its target (target_ends_slow_start)"

REASONS: Mapping[tuple[str, str], str] = {
    ("bulk/reno/100ms/4bdp", "queue_delay_mean_s"): TUNING,
    ("loss/cubic/0.001", "queue_delay_mean_s"): ALPHA,
    ("loss/bbr/0.001", "queue_delay_mean_s"): WAITS,
    ("loss/bbr/0.01", "queue_delay_mean_s"): WAITS,
    ("loss/bbr/0.01", "queue_delay_p95_s"): WAITS,
    ("short/cubic/100ms", "fct_s.100kB"): WRITES,
    ("aqm/codel/cubic/5/ecn1", "drops"): SYN,
    ("aqm/red/cubic/1/ecn1", "queue_delay_p95_s"): ALPHA,
    ("aqm/red/cubic/5/ecn1", "goodput_total_bps"): MARKS,
    ("aqm/red-wait/reno/1/ecn0", "goodput_bps"): PAIRS,
    ("under/load/fifo", "fct_p95_s"): TAILS,
    ("poisson/fifo/0.8", "fct_p95_s"): TAILS,
    ("poisson/fifo/0.8", "fct_p99_s"): TAILS,
    ("ledbat/newreno", "queue_delay_mean_s"): NS3_OTHERS,
    ("ledbat/newreno", "drops"): LATE_EXIT,
    ("ledbat/cubic", "queue_delay_mean_s"): NS3_OTHERS,
    ("ledbat/cubic", "drops"): LATE_EXIT,
    ("mesh/3hops/reno/down/short", "fct_s.10kB"): ARP,
}
"""By row and metric."""


def reason_of(row: str, metric: str) -> str:
    """The cause of a known difference; empty without one."""
    return REASONS.get((row, metric), "")
