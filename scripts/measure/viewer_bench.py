"""Time the animation of a moving network of 100 nodes in headless Chromium: `make viewer-bench`.

Per speed: what drawing one moment takes in the page's script, the CPU time of all of Chromium per picture while it
plays, and how many pictures per second come out. The second does not depend on what else the machine does: below
16.7 ms one core is enough for 60 pictures per second.
"""

import argparse
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import CDPSession, Page, sync_playwright

from hoplab import Scenario
from hoplab.report.results import runs_report
from hoplab.running.execution import run
from hoplab.store.trace import open_trace

SCENARIO = """
name = "viewer bench"
duration = "{duration}"
[topology]
kind = "random"
nodes = {nodes}
area = ["1500 m", "1500 m"]
[mobility]
kind = "waypoint"
min_speed = "1 m/s"
max_speed = "10 m/s"
pause = "5 s"
[routing]
protocol = "aodv"
"""
FLOWS = 5
DRAW = """(n) => {
  const { scene, clock } = hoplabViewer;
  const times = [];
  for (let i = 0; i < n; i += 1) {
    const t = scene.begin + (scene.end - scene.begin) * (i + 0.5) / n;
    const before = performance.now();
    hoplabViewer.draw(t);
    times.push(performance.now() - before);
  }
  return times;
}"""
PLAY = """(ms) => new Promise((done) => {
  const { clock, scene } = hoplabViewer;
  clock.seek((scene.begin + scene.end) / 2);
  clock.play();
  let pictures = 0;
  const start = performance.now();
  const count = (now) => {
    pictures += 1;
    if (now - start < ms) requestAnimationFrame(count);
    else { clock.pause(); done([pictures, (now - start) / 1000]); }
  };
  requestAnimationFrame(count);
})"""


def main() -> None:
    """Run, trace, open, measure, print."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--nodes", type=int, default=100)
    asked.add_argument("--duration", default="60 s")
    asked.add_argument("--draws", type=int, default=600, help="moments that are drawn for the first number")
    given = asked.parse_args()
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        sys.exit("no Chromium: scripts/install-browser.sh installs it")
    flows = "".join(f'[[flow]]\nfrom = {2 * i}\nto = {2 * i + 1}\ntransport = "new_reno"\n' for i in range(FLOWS))
    scenario = Scenario.from_text(SCENARIO.format(nodes=given.nodes, duration=given.duration) + flows)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        runs = run(scenario, trace=folder, progress=False)
        page = folder / "report.html"
        page.write_text(runs_report(runs, command="", trace=open_trace(folder)).to_html(), encoding="utf-8")
        print(f"{given.nodes} nodes, {given.duration}: report of {page.stat().st_size / 1e6:.2f} MB")
        with sync_playwright() as tools:
            browser = tools.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
            view = browser.new_page(viewport={"width": 1280, "height": 900})
            view.goto(page.as_uri())
            while not view.evaluate("window.hoplabViewer !== undefined"):
                view.wait_for_timeout(50)
            processes = browser.new_browser_cdp_session()
            for speed in (0.01, 0.1, 1.0, 10.0):
                print(measured(view, processes, speed, given.draws))
            browser.close()


def measured(view: Page, processes: CDPSession, speed: float, draws: int) -> str:
    """All numbers at one speed, as a line."""
    view.evaluate("(speed) => { hoplabViewer.clock.speed = speed; }", speed)
    times = sorted(view.evaluate(DRAW, draws))
    before = cpu_s(processes)
    pictures, seconds = view.evaluate(PLAY, 3000)
    used = cpu_s(processes) - before
    return (
        f"speed {speed:5g}: a draw takes {statistics.median(times):.2f} ms (median), "
        f"{times[int(0.95 * len(times))]:.2f} ms (95 %); {1e3 * used / pictures:.1f} ms of CPU per picture; "
        f"{pictures / seconds:.1f} pictures per second"
    )


def cpu_s(processes: CDPSession) -> float:
    """CPU time of all processes of the browser until now, in s."""
    return float(sum(one["cpuTime"] for one in processes.send("SystemInfo.getProcessInfo")["processInfo"]))


if __name__ == "__main__":
    main()
