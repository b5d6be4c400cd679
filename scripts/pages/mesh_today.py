"""Write the guide on a mesh of today: each question is a command, and what it prints is the answer.

    python scripts/pages/mesh_today.py            # some five minutes of CPU
    python scripts/pages/mesh_today.py queue      # run one command, keep what the others printed
    python scripts/pages/mesh_today.py --stored   # run none: after a change of the words

The first line that a command prints is its answer in the table at the top. The picture: `guides.py mesh-today`.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = Path("docs/use/mesh-today.md")
FILE = "scenarios/mesh-today.toml"
BLOCK = re.compile(r"^```console\n\$ (.+)\n((?:.*\n)*?)```$", re.MULTILINE)
PLANS = """\
import hoplab

mesh = hoplab.Scenario.from_toml("scenarios/mesh-today.toml")


def plan(*roofs):
    radios = [{"channel": 44}, {"channel": 36}]
    return mesh.with_({f"node.{roof}.radios": radios for roof in roofs})


plans = {
    "as given": mesh,
    "office on 44": plan("office"),
    "tower and bridge on 44": plan("tower", "bridge"),
    "tower's side on 44": plan("tower", "bridge", "school", "farm", "garden", "pool"),
}
runs = {name: hoplab.run(each, seeds=2) for name, each in plans.items()}
for metric in ("fct_mean_s", "goodput_bps"):
    print(hoplab.differences(runs).headline(metric))
for name, found in runs.items():
    page, goodput = found.interval("fct_mean_s"), found.interval("goodput_bps")
    print(f"{name:23} pages {page.scaled(1e3)} ms, goodput {goodput.scaled(1e-6)} Mb/s")
"""
PLANS_RUN = "python plans.py"
"""The command that stands for the block above, which runs ten seeds in place of two."""
SEEDS = 10


@dataclass(frozen=True)
class Question:
    """A question of the guide.

    Attributes
    ----------
    name : str
        Its name for the script's command line.
    title, command : str
        Heading, and what answers it.
    before, after : str
        Words around the command and its output; none has a number that a run gives.
    only : str
        Pattern of the lines that are shown, of a long output.
    """

    name: str
    title: str
    command: str
    before: str
    after: str
    only: str = ""


QUESTIONS = (
    Question(
        "use",
        "Is everything in use",
        f"hoplab explain {FILE}",
        "Two radios per roof do not make two channels in use. The table of airtime has a row per radio; here are those "
        "of one gateway:",
        "Each roof lists channel 36 first. Between two roofs a packet takes the best channel, of equal ones the first "
        "in the sender's list: [how channels work](../protocols/channels.md). All links are measured alike on both, so "
        "that the second radio of every roof is idle. The order of the list is the channel plan.",
        only=r"^(Bottleneck: .*|\w+ cannot sense .*| *office \(channel .*)$",
    ),
    Question(
        "channels",
        "Which channel plan",
        PLANS_RUN,
        "A roof that lists channel 44 first sends on 44. Three plans: the busiest gateway on 44, the other with its "
        "relay, and that one with all roofs behind it:\n\n```python\n" + PLANS + "```\n\nWith ten seeds:",
        "A channel for each gateway, and for the roofs behind it, keeps the two sides out of each other's way. "
        "`explain` says above which roofs collide because they cannot sense each other. "
        "[`hoplab whatif --only channels`](whatif.md) moves whole trees of links to channels that are free.",
    ),
    Question(
        "gateway",
        "Which gateway",
        f"hoplab compare {FILE} --transports tcp_cubic "
        '--between \'node.server.gateway=tower,office,["tower","office"]\' --metrics fct,goodput',
        "The server has a wire to two roofs. With both, each path takes the gateway with fewer transmissions:",
        "A second gateway on the same channel is no gain by itself: ETX counts transmissions, neither rates nor other "
        "traffic. A gateway elsewhere is a wire elsewhere: "
        '`--set \'wire.0.between=["server","mill"]\' --set \'node.server.gateway=["mill","office"]\'`, or '
        "`hoplab whatif --only gateways` for every roof in turn.",
    ),
    Question(
        "nodes",
        "What if a node fails",
        f"hoplab whatif {FILE} --only nodes --metrics goodput,fct",
        "Each roof without users is off for the whole run, gateways included, and paths lead around it:",
        "Roofs with users are not switched off: their flows would have no end. A roof that fails during a run is "
        '`--set \'node.museum.radio_off=[["15 s","25 s"]]\'`; static paths do not lead around it, '
        '[OLSR](../protocols/olsr.md) with `metric = "etx"` does.',
    ),
    Question(
        "queue",
        "FQ-CoDel or drop-tail",
        f"hoplab compare {FILE} --transports tcp_cubic --between queue.kind=drop_tail,fq_codel "
        "--metrics fct,goodput,video",
        "The queue of all radios; those of the wires stay FQ-CoDel:",
        "The first measure decides the sentence, and a table has more than one: read the row that your users feel. "
        "[Web users](web-users.md) has a mesh in which the queue is what a page waits for.",
    ),
    Question(
        "transport",
        "Which transport",
        f"hoplab compare {FILE} --transports tcp_reno,tcp_cubic,tcp_bbr --metrics goodput,fct,video",
        "All downloads, pages and videos use one transport:",
        "The sentence ranks goodput; pages and videos have rows of their own, which need not agree. "
        "`--keep-workloads` changes the download alone, beside users who keep theirs.",
    ),
)

HEAD = """\
# A mesh of today

The example `scenarios/mesh-today.toml` is what an engineer has on the table: 25 roofs with measured links, 802.11n with
A-MPDUs and Minstrel-HT, two radios per roof, two gateways, routes by expected transmissions (ETX), FQ-CoDel, a
download, web users and viewers of videos. Its links are made up; put your own in their place:
[measured meshes](measured.md).

![The roofs of mesh-today and their links; the two gateways are squares](../images/guides/mesh-today.svg)

```sh
hoplab show scenarios/mesh-today.toml
hoplab run scenarios/mesh-today.toml --seeds 2 --set duration="12 s" --set workload.0.stop="10 s"
```

Each question below is one command or a few lines of Python. Outputs are those of the whole example: 40 s, ten seeds,
95 % intervals; all together take some five minutes of one core. A shorter look:
`--seeds 3 --set duration="20 s" --set workload.0.stop="15 s"`.
"""

ANSWERS = "| question | answer |\n| --- | --- |"

TAIL = """\
## What may be said

- Differences are paired by seed: both sides have the same users, pages and start times. *No difference shown* is no
  proof of none; more `--seeds` narrow its interval.
- An answer is that of these users. Change `[[flow]]` and `[[workload]]` before you buy a radio.
- Links keep their delivery ratio at all rates, and nothing outside of the mesh disturbs them:
  [limits](measured.md#limits).

This page is written by `python scripts/pages/mesh_today.py`; outputs are those of its commands.
"""


def stored() -> dict[str, str]:
    """What the commands of the page printed, by command."""
    text = (ROOT / PAGE).read_text(encoding="utf-8") if (ROOT / PAGE).exists() else ""
    plans = re.search(r"^With ten seeds:\n\n```text\n((?:.*\n)*?)```$", text, re.MULTILINE)
    return {**dict(BLOCK.findall(text)), **({PLANS_RUN: plans[1]} if plans else {})}


def output_of(question: Question) -> str:
    """Run a command in a directory with the example scenarios; what it prints."""
    with tempfile.TemporaryDirectory() as folder:
        threads = () if question.name == "use" else ("--threads", "1")
        hoplab = [sys.executable, "-m", "hoplab"]
        second = [*hoplab, *shlex.split(question.command)[1:], "--quiet", *threads]
        if question.command == PLANS_RUN:
            second = [sys.executable, "-c", PLANS.replace("seeds=2", f"seeds={SEEDS}, threads=1")]
        for line in ([*hoplab, "new", "scenarios"], second):
            done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=True)
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    if question.only:
        lines = [line for line in lines if re.match(question.only, line)]
    return "\n".join(lines).strip("\n") + "\n"


def answer(output: str) -> str:
    """The first line of an output, as a cell."""
    return output.splitlines()[0].replace("|", "\\|")


def page(outputs: Mapping[str, str]) -> str:
    """The page."""
    parts = [HEAD, ANSWERS]
    whole = [one for one in QUESTIONS if not one.only]
    parts += [f"| [{one.title}](#{anchor(one.title)}) | {answer(outputs[one.command])} |" for one in whole]
    for one in QUESTIONS:
        output = outputs[one.command]
        block = f"```text\n{output}```" if one.command == PLANS_RUN else f"```console\n$ {one.command}\n{output}```"
        parts += ["", f"## {one.title}", "", one.before, "", block, "", one.after]
    return "\n".join([*parts, "", TAIL])


def anchor(title: str) -> str:
    """Where a heading is, as the site names it."""
    return re.sub(r"[^\w\s-]", "", title).strip().lower().replace(" ", "-")


def main() -> None:
    """Run the commands that are named, or all, and write the page."""
    names = [word for word in sys.argv[1:] if word != "--stored"]
    known = [one.name for one in QUESTIONS]
    if unknown := [name for name in names if name not in known]:
        sys.exit(f"{unknown[0]}: unknown question, expected some of: {', '.join(known)}")
    outputs = stored()
    for one in QUESTIONS:
        if "--stored" not in sys.argv and (not names or one.name in names):
            outputs[one.command] = output_of(one)
            print(one.command, flush=True)
    (ROOT / PAGE).write_text(page(outputs), encoding="utf-8")
    print(PAGE)


if __name__ == "__main__":
    main()
