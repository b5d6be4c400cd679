"""Statistics over replications: intervals, paired comparison, fairness, steady state, stopping.

Importing this package loads neither numpy nor scipy; the functions that need them load them on their first call.
"""

from hoplab.stats.bootstrap import bootstrap_interval
from hoplab.stats.compare import Paired, paired, ratio_of_sums
from hoplab.stats.fairness import jain, unfairness, unfairness_bound
from hoplab.stats.interval import DEFAULT_LEVEL, Interval, StatisticsError, mean_interval
from hoplab.stats.pairwise import ALPHA, Pair, Pairwise, ends_of, pairwise
from hoplab.stats.sequential import Decision, StoppingRule, parse_relative
from hoplab.stats.several import holm
from hoplab.stats.split import Split, split_of, split_warning
from hoplab.stats.steady import BatchMeans, WarmUp, batch_means, mser5

__all__ = [
    "ALPHA",
    "DEFAULT_LEVEL",
    "BatchMeans",
    "Decision",
    "Interval",
    "Pair",
    "Paired",
    "Pairwise",
    "Split",
    "StatisticsError",
    "StoppingRule",
    "WarmUp",
    "batch_means",
    "bootstrap_interval",
    "ends_of",
    "holm",
    "jain",
    "mean_interval",
    "mser5",
    "paired",
    "pairwise",
    "parse_relative",
    "ratio_of_sums",
    "split_of",
    "split_warning",
    "unfairness",
    "unfairness_bound",
]
