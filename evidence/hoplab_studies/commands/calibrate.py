"""`hoplab calibrate`: search constants that a paper leaves open, and judge them where the search never was."""

from __future__ import annotations

import json as jsonlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hoplab.base.errors import UsageError
from hoplab.cli import options, output
from hoplab.cli.console import info, is_quiet, set_verbosity, text_table
from hoplab_studies.muzha import calibration as muzha

if TYPE_CHECKING:
    from hoplab.stats import Interval
    from hoplab_studies.muzha.calibration import Judged, Oracle, Score


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("calibrate")(calibrate)


def calibrate(
    protocol: Annotated[str, typer.Argument(metavar="PROTOCOL", help="muzha: the level of its routers.")],
    seeds: Annotated[int, typer.Option("--seeds", min=2, help="Seeds per chain, other ones for the test.")] = 10,
    passes: Annotated[
        int, typer.Option("--passes", min=0, help="Walks along all constants; 0 judges the present ones only.")
    ] = 2,
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Write calibration.json there, too.")] = None,
    force: options.Force = False,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Fit the parameters of TCP Muzha routers.

    The search uses training chains and crosses; the result is judged once, on others.
    """
    set_verbosity(quiet=quiet, verbose=verbose)
    if protocol != "muzha":
        raise UsageError(f"unknown protocol {protocol!r}, expected muzha", hint="there is muzha")
    folder = output.prepare(out, force=force) if out else None
    progress = False if is_quiet() else None
    ground = muzha.training(seeds)
    references = muzha.run_references(ground, threads=threads, progress=progress)
    found = muzha.search(references, muzha.default_setting(), passes=passes, threads=threads, progress=progress)
    best = muzha.oracles(ground, threads=threads, progress=progress)
    _print_search(found, ground.hops)
    judged = muzha.judge(references, found[-1].setting, best, threads=threads, progress=progress)
    _print_judged("training", judged)
    tested, shares = [], {}
    for test in muzha.tests(seeds):
        others = muzha.run_references(test, threads=threads, progress=progress)
        windows = muzha.oracles(test, threads=threads, progress=progress)
        rows = muzha.judge(others, found[-1].setting, windows, threads=threads, progress=progress)
        _print_judged(f"test, {test.name}", rows)
        shares[test.name] = muzha.share(test, found[-1].setting, threads=threads, progress=progress)
        _print_shares(f"test, {test.name}", shares[test.name])
        tested += rows
    if folder:
        data = {
            "constants": dict(found[-1].setting),
            "tried": [_score_json(score) for score in found],
            "training": [_judged_json(row) for row in judged],
            "test": [_judged_json(row) for row in tested],
            "crosses": [
                {"ground": name, "hops": hops, "over_new_reno": [found.mean, found.low, found.high]}
                for name, by_hops in shares.items()
                for hops, found in by_hops.items()
            ],
            "seeds": seeds,
        }
        output.write_all(folder, texts={"calibration.json": jsonlib.dumps(data, indent=1) + "\n"}, tables={})
        info(f"written: {folder / 'calibration.json'}")


def _print_search(found: list[Score], hops: tuple[int, ...]) -> None:
    chains = ", ".join(map(str, hops))
    print(f"Settings on training chains of {chains} hops, the best last\n")
    names = [name for name, _ in found[-1].setting]
    rows = [
        (
            *(f"{value}" for _, value in one.setting),
            f"{100 * (one.gain - 1):+.2f} %",
            str(one.broken),
            ", ".join(f"{share:.2f}" for share in one.shares.values()),
        )
        for one in sorted(found, key=lambda one: one.key)
    ]
    print(text_table((*names, "over NewReno", "limits broken", "crossing"), rows, left=0), end="\n\n")
    sys.stdout.flush()


def _print_shares(title: str, shares: dict[int, Interval]) -> None:
    print(f"{title}: goodput of Muzha over that of the NewReno flow that crosses, by hops, with 95 % intervals\n")
    print(
        text_table(("hops", "over NewReno"), [(str(h), _ratio(one)) for h, one in shares.items()], left=0), end="\n\n"
    )
    sys.stdout.flush()


def _print_judged(title: str, rows: list[Judged]) -> None:
    print(f"{title}: goodput ratios with 95 % intervals; retransmissions; Muzha beside the best fixed window\n")
    header = ("hops", "over NewReno", "over SACK", "NewReno", "SACK", "Vegas", "Muzha", "window", "best", "of best")
    cells = [
        (
            str(row.hops),
            _ratio(row.over_new_reno),
            _ratio(row.over_sack),
            *(f"{row.resent[name]:.1f}" for name in ("new_reno", "sack", "vegas", "muzha")),
            f"{row.window:.1f}",
            *_beside(row),
        )
        for row in rows
    ]
    print(text_table(header, cells, left=0), end="\n\n")
    sys.stdout.flush()


def _beside(row: Judged) -> tuple[str, str]:
    if row.oracle is None:
        return ("", "")
    return (str(row.oracle.window), f"{100 * row.goodput_bps / row.oracle.goodput_bps:.1f} %")


def _ratio(interval: Interval) -> str:
    if interval.low is None or interval.high is None:
        return f"{interval.mean:.3f}"
    return f"{interval.mean:.3f} [{interval.low:.3f}, {interval.high:.3f}]"


def _score_json(score: Score) -> dict[str, Any]:
    crossing = {str(hops): share for hops, share in score.shares.items()}
    return {
        "setting": dict(score.setting),
        "gain": score.gain,
        "limits_broken": score.broken,
        "crossing": crossing,
    }


def _judged_json(row: Judged) -> dict[str, Any]:
    def ends(interval: Interval) -> list[float | None]:
        return [interval.mean, interval.low, interval.high]

    def best(oracle: Oracle | None) -> dict[str, float] | None:
        return None if oracle is None else {"window": oracle.window, "goodput_bps": oracle.goodput_bps}

    return {
        "ground": row.ground,
        "hops": row.hops,
        "over_new_reno": ends(row.over_new_reno),
        "over_sack": ends(row.over_sack),
        "retransmissions": dict(row.resent),
        "cwnd_mean": row.window,
        "goodput_bps": row.goodput_bps,
        "best_fixed_window": best(row.oracle),
    }
