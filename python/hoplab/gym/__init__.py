"""Environments for reinforcement learning, by the interface of Gymnasium: an agent sets windows or routes.

`CongestionEnv` is one network with one agent, `CongestionVectorEnv` many networks at once. `controller` makes a
congestion control of a trained policy, for `hoplab.compare` and any run. In a `RoutingEnv` an agent chooses the next
hops of all nodes. Needs the extra `gym`.
"""

from hoplab.gym.observation import FIELDS, Observed
from hoplab.gym.policy import Policy, controller
from hoplab.gym.rewards import Reward, utility

try:
    from hoplab.gym.environment import CongestionEnv, CongestionVectorEnv
    from hoplab.gym.episodes import ResetNeededError
    from hoplab.gym.routing import Choice, FlowsSeen, NodesSeen, RoutingEnv, RoutingReward, proportional_fairness
except ModuleNotFoundError as error:
    from hoplab.base.errors import UsageError

    raise UsageError("hoplab.gym: gymnasium is not installed", hint="pip install 'hoplab[gym]'") from error

__all__ = [
    "FIELDS",
    "Choice",
    "CongestionEnv",
    "CongestionVectorEnv",
    "FlowsSeen",
    "NodesSeen",
    "Observed",
    "Policy",
    "ResetNeededError",
    "Reward",
    "RoutingEnv",
    "RoutingReward",
    "controller",
    "proportional_fairness",
    "utility",
]
