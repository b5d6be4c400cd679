// The legend: one toggle button for each symbol that occurs in this run.
import { element } from "./dom.ts";
import { RECENT } from "../draw/routes.ts";
import { CATEGORY_MARKS, STYLES, WARNING, channelDash, styleOf } from "../draw/styles.ts";
import type { Paper, StyleName } from "../draw/styles.ts";
import { crossed, mark } from "../draw/marks.ts";
import { categoryOf } from "../data/scene.ts";
import type { Scene } from "../data/scene.ts";
import type { Layer, View } from "../draw/view.ts";
import { BLUE, GREEN } from "../draw/colors.ts";

interface Entry {
  layer: Layer;
  label: string;
  draw: (ctx: CanvasRenderingContext2D) => void;
  /** Initially off. */
  off?: boolean;
}

const [WIDE, HIGH] = [34, 16];

export function legend(scene: Scene, view: View, changed: () => void): HTMLElement {
  const frames = group("Frames on the air");
  const nodes = group("Network");
  for (const entry of frameEntries(scene, view.paper)) frames.append(button(entry, view, changed));
  for (const entry of nodeEntries(scene, view.paper)) nodes.append(button(entry, view, changed));
  return element("div", { class: "v-legend" }, frames, nodes);
}

function group(name: string): HTMLElement {
  return element("div", { class: "legend", role: "group", "aria-label": name }, element("span", { class: "v-group" }, `${name}:`));
}

function button(entry: Entry, view: View, changed: () => void): HTMLElement {
  const swatch = element("canvas", { width: WIDE * 2, height: HIGH * 2, "aria-hidden": "true" });
  const ctx = swatch.getContext("2d");
  if (ctx) {
    ctx.scale(2, 2);
    entry.draw(ctx);
  }
  if (!entry.off) view.layers.add(entry.layer);
  const made = element("button", { type: "button", "aria-pressed": String(!entry.off), "data-layer": entry.layer }, swatch, entry.label);
  made.addEventListener("click", () => {
    const on = made.getAttribute("aria-pressed") !== "true";
    made.setAttribute("aria-pressed", String(on));
    if (on) view.layers.add(entry.layer);
    else view.layers.delete(entry.layer);
    changed();
  });
  return made;
}

function frameEntries(scene: Scene, paper: Paper): Entry[] {
  const used = new Set<StyleName>();
  const seen = new Set<number>();
  let [marked, prioritized] = [false, false];
  for (let i = 0; i < scene.frames.t.length; i += 1) {
    seen.add(scene.frames.kind[i]);
    marked ||= (scene.frames.marks[i] & 1) !== 0;
    prioritized ||= (categoryOf(scene, i) ?? "") in CATEGORY_MARKS;
  }
  for (const kind of seen) used.add(styleOf(scene.data.names.kinds[kind]));
  const entries: Entry[] = [];
  for (const [name, style] of Object.entries(STYLES) as [StyleName, (typeof STYLES)[StyleName]][]) {
    if (!used.has(name)) continue;
    const label = marked && (name === "rts" || name === "cts") ? `${style.label}, outlined C: ${style.label}C` : style.label;
    entries.push({
      layer: name,
      label,
      draw: (ctx) => {
        ctx.strokeStyle = ctx.fillStyle = style.color;
        ctx.lineWidth = style.width;
        ctx.setLineDash(style.dash);
        line(ctx, 0, 8, WIDE, 8);
        ctx.setLineDash([]);
        ctx.lineWidth = 1.6;
        mark(ctx, style.mark, WIDE / 2, 8, 4.6);
      },
    });
  }
  scene.data.names.channels?.forEach((channel, index) =>
    entries.push({
      layer: `channel ${channel}`,
      label: `channel ${channel}: line beside the frame`,
      draw: (ctx) => {
        ctx.strokeStyle = paper.ink;
        ctx.lineWidth = 1.3;
        ctx.setLineDash(channelDash(index));
        line(ctx, 0, 8, WIDE, 8);
        ctx.setLineDash([]);
      },
    }),
  );
  if (prioritized) entries.push({ layer: "categories", label: "access category, but best effort", draw: label("VO", paper) });
  entries.push({ layer: "lost", label: "lost at the receiver; ring: not detected", draw: (ctx) => crossed(ctx, WIDE / 2, 8, 5, paper.ink, paper.paper) });
  return entries;
}

function nodeEntries(scene: Scene, paper: Paper): Entry[] {
  const entries: Entry[] = [
    {
      layer: "routes",
      label: `route in use; thin: idle for ${RECENT} s`,
      draw: (ctx) => {
        ctx.globalAlpha = 0.35;
        ctx.strokeStyle = ctx.fillStyle = BLUE;
        ctx.lineWidth = 6;
        line(ctx, 0, 8, WIDE, 8);
        ctx.globalAlpha = 1;
        ctx.lineWidth = 1.6;
        for (const x of [11, 16, 21]) {
          line(ctx, x, 5, x + 3, 8);
          line(ctx, x + 3, 8, x, 11);
        }
      },
    },
    {
      layer: "queues",
      label: "queue length",
      draw: (ctx) => {
        ctx.fillStyle = paper.ink;
        for (const y of [3, 7, 11]) ctx.fillRect(11, y, 13, 3);
      },
    },
  ];
  if (scene.wires.length > 0)
    entries.push({
      layer: "wires",
      label: "wire to a host (square), and packets on it",
      draw: (ctx) => {
        for (const [color, width] of [
          [paper.soft, 5],
          [paper.paper, 2.4],
        ] as const) {
          ctx.strokeStyle = color;
          ctx.lineWidth = width;
          line(ctx, 0, 8, WIDE - 10, 8);
        }
        ctx.strokeStyle = paper.ink;
        ctx.lineWidth = 1.6;
        ctx.strokeRect(WIDE - 12, 3, 10, 10);
      },
    });
  if (scene.congested.size > 0)
    entries.push({
      layer: "congestion",
      label: "congested; parked for it",
      draw: (ctx) => {
        ctx.strokeStyle = ctx.fillStyle = WARNING;
        ctx.lineWidth = 2.4;
        mark(ctx, "ring", 8, 8, 5.5);
        line(ctx, 4.5, 11.5, 11.5, 4.5);
        ctx.lineWidth = 1.8;
        ctx.setLineDash([3, 3]);
        line(ctx, 14, 8, 22, 8);
        ctx.setLineDash([]);
        ctx.fillRect(24, 3, 3, 10);
        ctx.fillRect(29, 3, 3, 10);
      },
    });
  if (scene.store.size > 0)
    entries.push({
      layer: "proxies",
      label: "proxy and its buffer",
      draw: (ctx) => {
        ctx.strokeStyle = paper.ink;
        ctx.lineWidth = 1.8;
        ctx.strokeRect(11, 2, 12, 12);
      },
    });
  if (scene.has("drai"))
    entries.push({
      layer: "levels",
      label: "router level (DRAI, 1 to 5)",
      draw: (ctx) => {
        for (let i = 0; i < 5; i += 1) {
          ctx.fillStyle = i < 3 ? GREEN : "transparent";
          ctx.strokeStyle = paper.soft;
          ctx.fillRect(5 + 5 * i, 11 - 2 * i, 4, 4 + 2 * i);
          ctx.strokeRect(5 + 5 * i, 11 - 2 * i, 4, 4 + 2 * i);
        }
      },
    });
  if (scene.flows.some((_, flow) => scene.header(flow) === "mrai"))
    entries.push({ layer: "headers", label: "level in headers (MRAI), selected flow", draw: label("M 3", paper) });
  if (scene.has("winf_capacity_bps") || scene.has("router_capacity_bps"))
    entries.push({ layer: "estimates", label: "capacity estimate", draw: label("Mb/s", paper) });
  entries.push(
    { layer: "drops", label: "packet drop and reason", draw: (ctx) => crossed(ctx, WIDE / 2, 8, 5, WARNING, paper.paper) },
    {
      layer: "ranges",
      label: "ranges, interference and NAV of the selected node",
      draw: (ctx) => {
        ctx.strokeStyle = paper.soft;
        ctx.lineWidth = 1.2;
        mark(ctx, "ring", WIDE / 2, 8, 3.5);
        ctx.setLineDash([2, 2]);
        mark(ctx, "ring", WIDE / 2, 8, 7);
      },
    },
  );
  return entries;
}

function line(ctx: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  ctx.beginPath();
  ctx.moveTo(x0, y0);
  ctx.lineTo(x1, y1);
  ctx.stroke();
}

function label(text: string, paper: Paper): Entry["draw"] {
  return (ctx) => {
    ctx.font = "600 11px system-ui, sans-serif";
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.fillStyle = paper.ink;
    ctx.fillText(text, WIDE / 2, 8.5);
  };
}
