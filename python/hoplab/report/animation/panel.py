"""The animation as a section of a report."""

from __future__ import annotations

from dataclasses import replace
from importlib import resources
from typing import TYPE_CHECKING, Any

from hoplab.base.transports import transport_title
from hoplab.explain.interference import Ranges
from hoplab.explain.narrative import REASONS
from hoplab.report.animation.scene import FATES, HEADERS, NEWS, Scene
from hoplab.report.animation.span import Span
from hoplab.report.animation.wires import FATES as WIRE_FATES
from hoplab.report.animation.wires import host_places, wires_of
from hoplab.report.model import Panel
from hoplab.scenario.channels import Channels
from hoplab.scenario.trajectories import movements, stationary

if TYPE_CHECKING:
    from hoplab.running.runs import Run, Runs
    from hoplab.store.trace import Trace

FORMAT = 1
"""Version of the data; the script refuses another one."""
MAX_TEXT = 3_500_000
"""Characters of data in a page. With figures and tables a report then stays below 5 MB."""
MAX_FRAMES = 1_500_000
"""Limit of frames read from the trace: more never fit."""
PROBE_FRAMES = 100_000
"""Frames by which the length of the whole is estimated."""
TRIES = 6
TITLE = "Animation"


def viewer_panel(runs: Runs, trace: Trace, *, window: Span | None = None, share: float = 1.0) -> Panel | None:
    """The animation of the first run of a trace.

    Parameters
    ----------
    runs : Runs
        The traced runs.
    window : Span, optional
        Part of the run that is shown; by default all of it, or as much from its start as a page holds.
    share : float
        Share of a page's data that this animation may have, beside another.

    Returns
    -------
    Panel or None
        None if the trace belongs to none of the runs.

    Raises
    ------
    UsageError
        If the run ends before `window`.
    """
    seed = trace.seeds[0]
    run = next((one for one in runs if one.seed == seed), None)
    if run is None:
        return None
    end_ns = round(run.sim_s * 1e9)
    asked = Span(0, end_ns) if window is None else window.within(end_ns)
    resolved = runs.scenario.resolve().data
    wires = wires_of(resolved)
    radios = movements(runs.scenario, seed=seed)
    hosts = stationary(host_places(wires, [radio.start for radio in radios]))
    scene = Scene(trace, seed, asked, radios + hosts, _ends(run), wires, Channels.of(resolved), len(hosts))
    shown, packed = _fitted(scene, round(MAX_TEXT * share))
    assets = resources.files("hoplab.report").joinpath("assets")
    return Panel(
        title=TITLE,
        note=_note(seed, shown, asked, end_ns),
        style=assets.joinpath("viewer.css").read_text(encoding="utf-8"),
        script=assets.joinpath("viewer.js").read_text(encoding="utf-8"),
        data={"format": FORMAT, **_facts(runs, run, scene, shown, end_ns), **packed},
    )


def _fitted(scene: Scene, most: int) -> tuple[Span, dict[str, Any]]:
    """As much of a scene as a page holds, from its start."""
    span = _likely(scene, _within_frames(scene), most)
    for _ in range(TRIES):
        packed = replace(scene, span=span).pack()
        size = len(packed["deflated"])
        if size <= most:
            break
        span = span.shortened(0.95 * most / size)
    return span, packed


def _likely(scene: Scene, span: Span, most: int) -> Span:
    """The part that a page is likely to hold, by what the first frames of a long one take."""
    whole = replace(scene, span=span)
    if whole.frames <= 2 * PROBE_FRAMES:
        return span
    probe = replace(scene, span=span.shortened(PROBE_FRAMES / whole.frames))
    size = len(probe.pack()["deflated"]) * whole.frames / max(probe.frames, 1)
    return span if size <= most else span.shortened(most / size)


def _within_frames(scene: Scene) -> Span:
    """The part with at most `MAX_FRAMES` frames."""
    span = scene.span
    beyond = scene.beyond(MAX_FRAMES)
    return Span(span.begin_ns, max(beyond, span.begin_ns + 1)) if beyond is not None else span


def _ends(run: Run) -> tuple[tuple[int, int], ...]:
    return tuple((flow.src, flow.dst) for flow in sorted(run.flows, key=lambda flow: flow.id))


def _facts(runs: Runs, run: Run, scene: Scene, shown: Span, end_ns: int) -> dict[str, Any]:
    resolved = runs.scenario.resolve()
    reach_m, sense_m = (
        (resolved.facts.rx_range_m, resolved.facts.cs_range_m) if runs.scenario.has_ranges else (0.0, 0.0)
    )
    return {
        "seed": run.seed,
        "begin_s": shown.begin_ns / 1e9,
        "end_s": shown.end_ns / 1e9,
        "run_s": end_ns / 1e9,
        "reach_m": reach_m,
        "cs_range_m": sense_m,
        **({"capture_margin": Ranges.of(resolved.data["radio"], sense_m).margin} if sense_m else {}),
        "queue_limit": resolved.data["queue"]["limit"],
        **({"node_names": names} if (names := runs.scenario.node_names) else {}),
        **_wiring(scene),
        "flows": [
            {"src": flow.src, "dst": flow.dst, "transport": transport_title(flow.transport)}
            for flow in sorted(run.flows, key=lambda flow: flow.id)
        ],
        "names": {
            "kinds": scene.kinds,
            "fates": FATES,
            "headers": HEADERS,
            "news": NEWS,
            "reasons": list(REASONS.values()),
            **({"categories": scene.categories} if scene.categories else {}),
            **({"channels": scene.numbers} if scene.numbers else {}),
        },
    }


def _wiring(scene: Scene) -> dict[str, Any]:
    """Hosts and wires, in scenarios that have any."""
    if not scene.wires:
        return {}
    return {
        "hosts": list(range(scene.radios, len(scene.trajectories))),
        "wires": [wire.as_json() for wire in scene.wires],
        "wire_fates": WIRE_FATES,
    }


def _note(seed: int, shown: Span, asked: Span, end_ns: int) -> str:
    begin, end = shown.begin_ns / 1e9, shown.end_ns / 1e9
    run_s = end_ns / 1e9
    if shown == Span(0, end_ns):
        return f"One run (seed {seed}), all {run_s:g} s of it."
    note = f"One run (seed {seed}), {begin:g} s to {end:g} s of {run_s:g} s"
    if shown.length_ns < asked.length_ns:
        note += "; more does not fit in a page"
    if shown.end_ns >= end_ns:
        return f"{note}."
    until = min(end + shown.length_ns / 1e9, run_s)
    return f'{note}. Next part: hoplab report DIR --window "{end:g} s..{until:g} s"'
