"""What becomes of features together: they carry each flow, are refused, or fail."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal

from hoplab import EngineError, ScenarioError
from hoplab.base.errors import InputError, UsageError
from hoplab.running.execution import run
from hoplab.running.runs import Runs
from hoplab.scenario.features import Feature
from hoplab.scenario.model import Scenario
from hoplab_validation.pairs.compose import Composed, ContradictionError, compose

if TYPE_CHECKING:
    from hoplab.store.trace import Trace

Kind = Literal["runs", "contradicts", "refused", "nothing", "silent", "failed"]
MOST_S = 60.0
"""Real time of one run: a longer one is a failure."""
FILE = "features.toml"


@dataclass(frozen=True)
class Verdict:
    """What became of some features together.

    Attributes
    ----------
    kind : str
        `runs`: each flow delivers. `contradicts`, `refused`: by the message. `nothing`, `silent`: a flow delivers
        nothing, with and without a sentence that says why. `failed`: anything else.
    """

    kind: Kind
    message: str = ""

    @property
    def is_fault(self) -> bool:
        """Whether hoplab has to be mended."""
        return self.kind in {"silent", "failed"}


class Case:
    """A composed scenario in a folder, and its runs."""

    def __init__(self, composed: Composed, folder: Path) -> None:
        for name, text in composed.files.items():
            (folder / name).write_text(text, encoding="utf-8")
        (folder / FILE).write_text(composed.toml, encoding="utf-8")
        self.folder = folder
        self.scenario = Scenario.from_toml(folder / FILE)

    @cached_property
    def runs(self) -> Runs:
        """One run; with a trace, if that was asked for first."""
        return run(self.scenario, max_wall_s=MOST_S, progress=False)

    @cached_property
    def trace(self) -> Trace:
        """The trace of the run."""
        from hoplab.store.trace import open_trace  # noqa: PLC0415 (each answer loads its own)

        place = self.folder / "trace"
        self.runs = run(self.scenario, trace=place, max_wall_s=MOST_S, progress=False)
        return open_trace(place)


def judged(chosen: Sequence[Feature]) -> Verdict:
    """Compose some features, run them, and see."""
    return _judged(chosen, _run)


def accepted(chosen: Sequence[Feature]) -> Verdict:
    """Compose some features and check the scenario, without a run: `runs` if nothing speaks against it."""
    return _judged(chosen, lambda _case, _do: Verdict("runs"))


def _run(case: Case, do: Sequence[str]) -> Verdict:
    for what in do:
        ACTIONS[what](case)
    return _delivery(case.runs)


def _judged(chosen: Sequence[Feature], look: Callable[[Case, Sequence[str]], Verdict]) -> Verdict:
    try:
        composed = compose(chosen)
    except ContradictionError as error:
        return Verdict("contradicts", str(error))
    with TemporaryDirectory() as place:
        try:
            return look(Case(composed, Path(place)), composed.do)
        except (ScenarioError, InputError, UsageError) as error:
            return Verdict("refused", first_words(str(error).replace(f"{place}/", "")))
        except EngineError as error:
            return Verdict("failed", str(error).replace(f"{place}/", ""))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 (a panic of the engine is none of Exception)
            return Verdict("failed", "".join(traceback.format_exception(error)[-2:]).replace(f"{place}/", ""))


def first_words(message: str) -> str:
    """The first problem of a message, without its line, expectation and hint."""
    first = message.strip().splitlines()[0]
    return re.sub(rf"^({re.escape(FILE)}|trace)(:\d+)?: ", "", first)


def _delivery(runs: Runs) -> Verdict:
    """Whether every flow and workload delivers."""
    one = runs[0]
    nothing = [f"flow {flow.id}" for flow in one.lasting if flow.goodput_bps == 0.0]
    nothing += [f"workload {load['id']}" for load in one.workloads if not load["goodput_bps"]]
    if not nothing:
        return Verdict("runs")
    said = reasons(runs)
    return Verdict("nothing", " ".join(said)) if said else Verdict("silent", f"{', '.join(nothing)}: nothing delivered")


def reasons(runs: Runs) -> Sequence[str]:
    """Sentences of a run that say why a flow delivers nothing."""
    return [text for text in runs.warnings if re.search(r"\b(flow|workload)s? \d+", text, re.IGNORECASE)]


def _ns2_trace(case: Case) -> None:
    from hoplab.store.ns2_trace.export import lines  # noqa: PLC0415

    assert any(True for _ in lines(case.trace, case.scenario, seed=case.scenario.seed, form="old"))


def _capture(case: Case) -> None:
    file = case.folder / "frames.pcapng"
    run(case.scenario, pcapng=file, max_wall_s=MOST_S, progress=False)
    assert file.stat().st_size > 0


def _animation(case: Case) -> None:
    from hoplab.report.animation.panel import viewer_panel  # noqa: PLC0415

    trace = case.trace
    panel = viewer_panel(case.runs, trace)
    assert panel is not None
    assert panel.data["deflated"]


def _explain(case: Case) -> None:
    from hoplab.explain import explain  # noqa: PLC0415

    trace = case.trace
    assert explain(case.runs[0], trace, case.scenario).sentences()


def _bound(case: Case) -> None:
    from hoplab.bounding import bound  # noqa: PLC0415

    bound(case.scenario, schedule=False)


def _possible(case: Case) -> None:
    from hoplab.bounding.shares import run_shares  # noqa: PLC0415

    (share,) = run_shares(case.runs)
    assert not (share.strict and share.possible > 1.0), f"{share.possible} of the possible"


def _series(case: Case) -> None:
    assert run(case.scenario, series_interval_s=0.5, max_wall_s=MOST_S, progress=False)[0].sim_s > 0.0


def _estimate(case: Case) -> None:
    from hoplab.running.estimating import estimate  # noqa: PLC0415

    estimate(case.scenario)


def _map(case: Case) -> None:
    from hoplab.scenario.trajectories import preview  # noqa: PLC0415

    preview(case.scenario, case.folder / "map.svg")
    assert (case.folder / "map.svg").stat().st_size > 0


def _whatif(case: Case) -> None:
    from hoplab.running.whatif.asking import whatif  # noqa: PLC0415

    whatif(case.scenario, only=["retries"], seeds=1, max_wall_s=MOST_S, progress=False)


def _environment(case: Case) -> None:
    import numpy as np

    from hoplab.gym import CongestionEnv  # noqa: PLC0415

    with CongestionEnv(case.scenario, flow=0, interval_s=2.0) as environment:
        environment.reset(seed=1)
        is_over = False
        while not is_over:
            _, _, is_at_end, is_cut, _ = environment.step(np.zeros(1))
            is_over = is_at_end or is_cut


ACTIONS: Mapping[str, Callable[[Case], object]] = {
    "trace": lambda case: case.trace,
    "capture": _capture,
    "ns2_trace": _ns2_trace,
    "animation": _animation,
    "explain": _explain,
    "bound": _bound,
    "possible": _possible,
    "series": _series,
    "estimate": _estimate,
    "map": _map,
    "whatif": _whatif,
    "environment": _environment,
}
"""What a feature's `do` means."""
