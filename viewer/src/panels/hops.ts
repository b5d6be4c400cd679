// Table of the nodes on a flow's route: queue length, congestion state, proxy buffer, feedback and estimates.
import { element, setText } from "./dom.ts";
import type { Scene } from "../data/scene.ts";
import { quantity } from "./event_text.ts";

interface Field {
  title: string;
  hint: string;
  text: (node: number, t: number) => string;
  /** Length of the bar behind the text, 0 to 1. */
  bar?: (node: number, t: number) => number;
}

export class Hops {
  private readonly fields: Field[];
  private readonly body = element("tbody");
  private cells: HTMLTableCellElement[][] = [];
  private shown = "";

  constructor(
    holder: HTMLElement,
    private readonly scene: Scene,
    private readonly flow: number,
    private readonly pick: (node: number) => void,
  ) {
    this.fields = fieldsOf(scene, flow);
    const head = element("tr", {}, element("th", { scope: "col" }, "node"));
    for (const { title, hint } of this.fields) head.append(element("th", { scope: "col", class: "number", title: hint }, title));
    const table = element("table", { class: "v-hops" }, element("caption", {}, "Path"), element("thead", {}, head), this.body);
    holder.replaceChildren(element("div", { class: "scroll", tabindex: 0 }, table));
  }

  move(t: number): void {
    const route = this.scene.path(this.flow, t);
    if (route.join() !== this.shown) this.arrange(route);
    route.forEach((node, row) =>
      this.fields.forEach((field, column) => {
        const cell = this.cells[row][column];
        setText(cell, field.text(node, t));
        if (field.bar) cell.style.setProperty("--bar", `${Math.round(100 * Math.min(Math.max(field.bar(node, t), 0), 1))}%`);
      }),
    );
  }

  private arrange(route: number[]): void {
    this.shown = route.join();
    this.cells = [];
    const rows = route.map((node) => {
      const button = element("button", { type: "button", class: "v-link" }, this.scene.label(node));
      button.addEventListener("click", () => this.pick(node));
      const cells = this.fields.map((field) => element("td", { class: field.bar ? "number v-bar" : "number" }));
      this.cells.push(cells);
      return element("tr", {}, element("th", { scope: "row" }, button), ...cells);
    });
    if (route.length > 0 && route[route.length - 1] !== this.scene.flows[this.flow].dst)
      rows.push(element("tr", {}, element("td", { colspan: this.fields.length + 1 }, "no next hop known")));
    this.body.replaceChildren(...rows);
  }
}

function fieldsOf(scene: Scene, flow: number): Field[] {
  const longest = Math.max(4, ...scene.queues().map((steps) => steps.values.reduce((a, b) => Math.max(a, b), 0)));
  const queue = (node: number, t: number) => scene.queued(node, t);
  const fields: Field[] = [
    { title: "queue", hint: "queue length in packets", text: (node, t) => String(queue(node, t)), bar: (node, t) => queue(node, t) / longest },
  ];
  if (scene.congested.size > 0)
    fields.push({
      title: "state",
      hint: "congested, or packet parked for a congested neighbor",
      text: (node, t) => {
        const by = scene.parked.get(node)?.at(t, -2) ?? -2;
        const held = by === -2 ? "" : by >= 0 ? `parked for ${scene.label(by)}` : "parked";
        return [(scene.congested.get(node)?.at(t, 0) ?? 0) > 0 ? "congested" : "", held].filter(Boolean).join(", ") || "free";
      },
    });
  if (scene.store.size > 0) {
    const fullest = Math.max(1, ...[...scene.store.values()].flatMap((steps) => steps.values));
    const held = (node: number, t: number) => scene.store.get(node)?.at(t, 0) ?? 0;
    fields.push({
      title: "buffer",
      hint: "segments in the proxy buffer",
      text: (node, t) => (scene.isProxy(node) ? String(held(node, t)) : ""),
      bar: (node, t) => held(node, t) / fullest,
    });
  }
  const sampled = (metric: string, title: string, hint: string, unit: string) => {
    if (scene.has(metric)) fields.push({ title, hint, text: (node, t) => quantity(scene.sample(metric, node, t), unit) });
  };
  if (scene.has("drai"))
    fields.push({
      title: "DRAI",
      hint: "level that the router advertises, 1 (slow down) to 5 (speed up)",
      text: (node, t) => quantity(scene.sample("drai", node, t), ""),
      bar: (node, t) => scene.sample("drai", node, t) / 5,
    });
  const header = scene.header(flow);
  if (header) {
    const title = { mrai: "MRAI", xcp: "feedback", rcp: "rate" }[header] ?? header;
    fields.push({
      title,
      hint: "in the header of the packet that the node forwarded last",
      text: (node, t) => quantity(scene.stamp(flow, node, t), header === "mrai" ? "" : "bit/s"),
    });
  }
  sampled("winf_capacity_bps", "capacity", "estimated by rt-Winf", "bit/s");
  sampled("winf_available_bps", "available", "estimated by rt-Winf", "bit/s");
  sampled("router_capacity_bps", "router", "capacity that the router assumes", "bit/s");
  return fields;
}
