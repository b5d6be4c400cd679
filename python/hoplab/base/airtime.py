"""Uses of a node's time, as the engine accounts for airtime, with their names for people."""

AIRTIME = {
    "data": "own data",
    "broadcast": "own broadcasts",
    "rts": "own RTS",
    "cts": "own CTS",
    "ack": "own ACK",
    "received": "receiving",
    "collision": "collisions",
    "overheard": "others' frames",
    "exchange": "gaps of exchanges",
    "eifs": "EIFS",
    "reserved": "reserved (NAV)",
    "backoff": "DIFS and backoff",
    "parked": "parked",
    "idle": "idle",
    "off": "switched off",
}
"""What a node's time goes into, in the order of the engine's table, and in words."""
