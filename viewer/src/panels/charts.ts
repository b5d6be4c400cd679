// Time series of the selected node or flow, with a cursor at the current time. Drawn by uPlot, which the page includes.
import type uPlotClass from "uplot";
import { element, setText } from "./dom.ts";
import { inkOf } from "../draw/styles.ts";
import type { Paper } from "../draw/styles.ts";
import type { Scene, Series } from "../data/scene.ts";
import { Steps, lastAt } from "../data/steps.ts";
import type { Choice } from "../draw/view.ts";
import { quantity } from "./event_text.ts";
import { BLUE, GREEN, VERMILION } from "../draw/colors.ts";

declare const uPlot: typeof uPlotClass;

interface Curve {
  name: string;
  times: ArrayLike<number>;
  values: ArrayLike<number>;
  color: string;
  dash?: number[];
}

export interface Chart {
  title: string;
  unit: string;
  curves: Curve[];
}


/** Charts of a selection; curves without values are left out. */
export function chartsOf(scene: Scene, choice: NonNullable<Choice>): Chart[] {
  const { id } = choice;
  const series = (metric: string, name: string, color: string, dash?: number[]): Curve[] => {
    const found: Series | undefined = scene.series(metric, id);
    return found && found.values.some((value) => !Number.isNaN(value)) ? [{ name, ...found, color, ...(dash && { dash }) }] : [];
  };
  const steps = (of: Map<number, Steps>, name: string, color: string): Curve[] => {
    const found = of.get(id);
    if (!found || found.times.length === 0) return [];
    const last = found.values[found.values.length - 1];
    return [{ name, times: [scene.begin, ...found.times, scene.end], values: [0, ...found.values, last], color }];
  };
  const charts: Chart[] =
    choice.of === "flow"
      ? [
          {
            title: "window",
            unit: "segments",
            curves: [...series("cwnd", "cwnd", inkOf(id).color), ...series("ssthresh", "ssthresh", "#6a737d", [4, 3])],
          },
          { title: "sending rate", unit: "bit/s", curves: series("rate_bps", "rate", inkOf(id).color) },
          { title: "smoothed round-trip time", unit: "s", curves: series("srtt_s", "srtt", BLUE) },
          { title: "goodput (1 s)", unit: "bit/s", curves: series("goodput_bps", "goodput", GREEN) },
        ]
      : [
          { title: `queue length (limit ${scene.data.queue_limit})`, unit: "packets", curves: steps(scene.queue, "queue", BLUE) },
          { title: "proxy buffer", unit: "segments", curves: steps(scene.store, "buffer", VERMILION) },
          { title: "congested", unit: "", curves: steps(scene.congested, "congested", VERMILION) },
          { title: "level (DRAI)", unit: "", curves: series("drai", "level", GREEN) },
          {
            title: "capacity and available, rt-Winf",
            unit: "bit/s",
            curves: [...series("winf_capacity_bps", "capacity", BLUE), ...series("winf_available_bps", "available", GREEN, [4, 3])],
          },
          {
            title: "capacity and available, IdleGap",
            unit: "bit/s",
            curves: [...series("idle_gap_capacity_bps", "capacity", BLUE), ...series("idle_gap_available_bps", "available", GREEN, [4, 3])],
          },
          {
            title: "router: capacity and rate",
            unit: "bit/s",
            curves: [...series("router_capacity_bps", "capacity", BLUE), ...series("router_rate_bps", "rate", VERMILION, [4, 3])],
          },
          { title: "idle", unit: "share", curves: series("idle_share", "idle", "#6a737d") },
        ];
  return charts.filter((chart) => chart.curves.length > 0);
}

/** The charts of one selection, stacked. */
export class Charts {
  private drawn: { plot: uPlotClass; line: HTMLElement; value: HTMLElement; chart: Chart }[] = [];
  private width = 0;

  constructor(
    private readonly holder: HTMLElement,
    private readonly paper: Paper,
    private readonly seek: (t: number) => void,
  ) {
    new ResizeObserver(() => this.fit()).observe(holder);
  }

  show(charts: Chart[], begin: number, end: number): void {
    for (const { plot } of this.drawn) plot.destroy();
    this.holder.replaceChildren();
    this.width = Math.max(this.holder.clientWidth, 200);
    this.drawn = charts.map((chart) => {
      const value = element("span", { class: "v-value" });
      const box = element("div", { class: "v-chart" }, element("p", {}, `${chart.title}: `, value));
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", `${chart.title} over time`);
      this.holder.append(box);
      const plot = new uPlot(this.options(chart, begin, end), aligned(chart.curves), box);
      const line = element("div", { class: "v-now" });
      plot.over.append(line);
      let down = 0;
      plot.over.addEventListener("pointerdown", (event) => (down = event.clientX));
      plot.over.addEventListener("click", (event) => {
        if (Math.abs(event.clientX - down) > 3) return;
        this.seek(plot.posToVal(event.clientX - plot.over.getBoundingClientRect().left, "x"));
      });
      return { plot, line, value, chart };
    });
  }

  /** Moves the cursors to `t` (s) and shows the values there. */
  move(t: number): void {
    for (const { plot, line, value, chart } of this.drawn) {
      const { min, max } = { min: plot.scales["x"].min ?? t, max: plot.scales["x"].max ?? t };
      if (t < min || t > max) {
        // Zoomed, and the cursor has left the window: follow it.
        const width = max - min;
        plot.setScale("x", { min: t - width * 0.1, max: t + width * 0.9 });
      }
      line.style.transform = `translateX(${plot.valToPos(t, "x").toFixed(1)}px)`;
      const parts = chart.curves.map((curve) => {
        const at = lastAt(curve.times, t);
        const here = at < 0 ? NaN : curve.values[at];
        return chart.curves.length > 1 ? `${curve.name} ${quantity(here, chart.unit)}` : quantity(here, chart.unit);
      });
      setText(value, parts.join(", "));
    }
  }

  private fit(): void {
    const width = Math.max(this.holder.clientWidth, 200);
    if (width === this.width) return;
    this.width = width;
    for (const { plot } of this.drawn) plot.setSize({ width, height: HEIGHT });
  }

  private options(chart: Chart, begin: number, end: number): uPlotClass.Options {
    const font = "11px system-ui, sans-serif";
    const { ink, line } = this.paper;
    const axis = { font, stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1, size: 4 } };
    const format = (values: number[]): string[] => values.map((value) => quantity(value, chart.unit === "bit/s" ? "bit/s" : "").trim());
    return {
      width: this.width,
      height: HEIGHT,
      padding: [6, 20, 0, 0],
      legend: { show: false },
      cursor: { drag: { x: true, y: false }, y: false, points: { show: false } },
      scales: {
        x: { time: false, range: (_, min, max) => (min == null ? [begin, end] : [min, max]) },
        y: { range: (_, __, max) => [0, max > 0 ? max * 1.08 : 1] },
      },
      axes: [
        { ...axis, size: 24, space: 44, values: (_, splits) => splits.map((at) => `${Number(at.toPrecision(6))} s`) },
        {
          ...axis,
          size: 58,
          space: 26,
          values: (_, splits) =>
            chart.unit === "s" ? splits.map((at) => quantity(at, "s")) : chart.unit === "share" ? splits.map((at) => quantity(at, "share")) : format(splits),
        },
      ],
      series: [
        {},
        ...chart.curves.map((curve) => ({
          stroke: curve.color,
          width: 1.6,
          ...(curve.dash ? { dash: curve.dash } : {}),
          paths: uPlot.paths.stepped!({ align: 1 }),
          points: { show: false },
          spanGaps: true,
        })),
      ],
    };
  }
}

const HEIGHT = 118;

/** Curves in the form of uPlot. All curves of a chart share their times. */
function aligned(curves: Curve[]): uPlotClass.AlignedData {
  const xs = Array.from(curves[0].times);
  return [xs, ...curves.map((curve) => Array.from(curve.values, (value) => (Number.isNaN(value) ? null : value)))];
}
