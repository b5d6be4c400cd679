// Goodput with intervals, and airtime, as tables with bars that grow as runs end.
import { element } from "../panels/dom.ts";
import { interval } from "./statistics.ts";
import type { Interval } from "./statistics.ts";
import type { Result } from "./client.ts";
import type { Report, Variant } from "./worker.ts";
import { BLUE, GREEN, SKY, VERMILION } from "../draw/colors.ts";

/** Uses of airtime that have a color of their own; the rest is one color. */
const USES: [string, string, string[]][] = [
  ["own data", BLUE, ["data", "broadcast"]],
  ["own RTS, CTS, ACK", SKY, ["rts", "cts", "ack"]],
  ["receiving", GREEN, ["received"]],
  ["collisions, EIFS", VERMILION, ["collision", "eifs"]],
  ["deferring", "#cc9a00", ["overheard", "reserved"]],
  ["SIFS, DIFS, backoff", "#b07aa1", ["exchange", "backoff"]],
  ["parked", "#5b4a8a", ["parked"]],
  ["idle, off", "var(--line)", ["idle", "off"]],
];

export class Results {
  private found: Result[] = [];
  private variants: Variant[] = [];

  constructor(
    private readonly goodput: HTMLElement,
    private readonly airtime: HTMLElement,
  ) {}

  begin(variants: Variant[]): void {
    this.variants = variants;
    this.found = [];
  }

  add(result: Result): void {
    this.found.push(result);
    this.show();
  }

  /** Reports of a variant. */
  of(variant: number): Report[] {
    return this.found.filter((one) => one.variant === variant).map((one) => one.report);
  }

  private show(): void {
    const rows: { label: string; part: string; value: Interval; loss: number }[] = [];
    this.variants.forEach(({ label }, variant) => {
      const reports = this.of(variant);
      if (reports.length === 0) return;
      const flows = reports[0].flows.length;
      const sum = (report: Report) => report.flows.reduce((total, flow) => total + flow.goodput_bps, 0) / 1000;
      const loss = reports.reduce((total, report) => total + (report.lost["collision"] ?? 0), 0) / reports.length;
      rows.push({ label, part: flows > 1 ? "all" : "", value: interval(reports.map(sum)), loss });
      if (flows < 2 || flows > 6) return;
      for (let id = 0; id < flows; id += 1) {
        const { src, dst } = reports[0].flows[id];
        rows.push({ label: "", part: `${src} to ${dst}`, value: interval(reports.map((report) => report.flows[id].goodput_bps / 1000)), loss: NaN });
      }
    });
    const most = Math.max(...rows.map(({ value }) => value.mean + (value.half || 0)), 1);
    const hasParts = rows.some((row) => row.part !== "");
    const body = rows.map(({ label, part, value, loss }) => {
      const { mean, half, n } = value;
      const left = Math.max(mean - (half || 0), 0);
      const bar = element("div", { class: label ? "l-bar" : "l-bar l-part", "aria-hidden": "true" });
      bar.append(place("l-mean", 0, mean / most), ...(half ? [place("l-whisker", left / most, (mean + half - left) / most)] : []));
      return element(
        "tr",
        {},
        element("th", { scope: "row" }, label),
        ...(hasParts ? [element("td", { class: "l-flow" }, part)] : []),
        element("td", { class: "number" }, Number.isNaN(half) ? mean.toFixed(0) : `${mean.toFixed(0)} ± ${half.toFixed(0)}`),
        element("td", { class: "l-cell" }, bar),
        element("td", { class: "number" }, Number.isNaN(loss) ? "" : loss.toFixed(0)),
        element("td", { class: "number" }, String(n)),
      );
    });
    const titles = ["", ...(hasParts ? ["flow"] : []), "goodput (kb/s)", "", "collisions", "n"];
    const head = titles.map((title) => element("th", { scope: "col", class: /^(good|coll|n)/.test(title) && "number" }, title));
    this.goodput.replaceChildren(element("table", { class: "l-table" }, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body)));
  }

  /** Airtime of each node in one run, under its name. */
  showAirtime(run: string, report: Report): void {
    const legend = element("p", { class: "l-legend" });
    for (const [title, color] of USES) legend.append(element("span", {}, swatch(color), title));
    const rows = report.airtime.map((node) => {
      const bar = element("div", { class: "l-stack" });
      const total = USES.reduce((sum, [, , uses]) => sum + uses.reduce((part, use) => part + (node[use] ?? 0), 0), 0);
      const texts: string[] = [];
      for (const [title, color, uses] of USES) {
        const share = uses.reduce((part, use) => part + (node[use] ?? 0), 0) / total;
        if (share < 0.0005) continue;
        const piece = element("span", { title: `${title}: ${(100 * share).toFixed(1)} %` });
        piece.style.width = `${100 * share}%`;
        piece.style.background = color;
        bar.append(piece);
        texts.push(`${title} ${(100 * share).toFixed(0)} %`);
      }
      bar.setAttribute("role", "img");
      bar.setAttribute("aria-label", texts.join(", "));
      return element("div", { class: "l-row" }, element("span", {}, `node ${node["node"]}`), bar);
    });
    this.airtime.replaceChildren(element("p", { class: "help" }, `Airtime: ${run}.`), legend, ...rows);
  }
}

function place(name: string, from: number, width: number): HTMLElement {
  const made = element("span", { class: name });
  made.style.left = `${100 * from}%`;
  made.style.width = `${100 * width}%`;
  return made;
}

function swatch(color: string): HTMLElement {
  const made = element("i", {});
  made.style.background = color;
  return made;
}
