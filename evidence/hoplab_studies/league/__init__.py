"""The league: all transports over the same networks, by ranks with intervals."""

from hoplab_studies.league.networks import NETWORKS, Network, networks
from hoplab_studies.league.play import Match, matches, play
from hoplab_studies.league.table import MEASURES, League, Row, league_of

__all__ = ["MEASURES", "NETWORKS", "League", "Match", "Network", "Row", "league_of", "matches", "networks", "play"]
