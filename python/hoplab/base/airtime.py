"""Airtime categories of the engine, with their display names."""

AIRTIME = {
    "data": "own data",
    "broadcast": "own broadcasts",
    "rts": "own RTS",
    "cts": "own CTS",
    "ack": "own ACK",
    "received": "receiving",
    "collision": "collisions",
    "overheard": "overheard",
    "exchange": "SIFS and response",
    "eifs": "EIFS",
    "reserved": "NAV",
    "backoff": "DIFS and backoff",
    "parked": "parked",
    "idle": "idle",
    "off": "radio off",
}
"""Category to display name, in the order of the engine's table."""
