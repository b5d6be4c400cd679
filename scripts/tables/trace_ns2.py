"""Run the cases of tests/python/traced/ns2 in ns-2.35 and store its scripts, its traces, and what awk finds in them.

Needs `ns` (scripts/install-peers.sh) and some minutes.
"""

import csv
import gzip
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent.parent / "tests" / "python"))

from traced.ns2 import cases

from hoplab.store.ns2_trace import FORMS
from hoplab_validation.peers.compare import tcl_of
from hoplab_validation.peers.ns2 import run as ns2


def main() -> None:
    """Write all that is stored."""
    program = ns2.find()
    for case in sys.argv[1:] or cases.CASES:
        target = cases.DATA / case
        target.mkdir(parents=True, exist_ok=True)
        kept = cases.KEPT.get(case, 1)
        found = []
        with tempfile.TemporaryDirectory() as name:
            for form in FORMS:
                script = Path(name) / f"{form}.tcl"
                script.write_text(tcl_of(cases.scenario(case), 1, trace=form), encoding="utf-8")
                for seed in cases.SEEDS if form == "old" else [kept]:
                    theirs = ns2.irregular(seed)
                    ns2.execute(program, script, theirs)
                    trace = (Path(name) / f"trace.{theirs}.tr").read_text(encoding="utf-8")
                    if form == "old":
                        found.append(cases.numbers(trace.splitlines(), form, cases.DATA_OF.get(case, "cbr")))
                    if seed == kept:
                        (target / f"{form}.tr.gz").write_bytes(gzip.compress(trace.encode(), mtime=0))
                        (target / f"{form}.tcl").write_text(script.read_text(encoding="utf-8"), encoding="utf-8")
        with (target / "numbers.csv").open("w", encoding="utf-8", newline="") as file:
            rows = csv.DictWriter(file, found[0], lineterminator="\n")
            rows.writeheader()
            rows.writerows({name: f"{value:g}" for name, value in row.items()} for row in found)
        print(case)


if __name__ == "__main__":
    main()
