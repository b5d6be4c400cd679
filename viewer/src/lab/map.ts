// The network as a map: links in range, flows, and nodes that can be dragged or moved by keys.
import type { Resolved } from "./engine.ts";

const SVG = "http://www.w3.org/2000/svg";
/** Distance by which an arrow key moves a node, in m. */
const STEP = 10;
const RADIUS = 13;

function shape(tag: string, attributes: Record<string, string | number>, text = ""): SVGElement {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.textContent = text;
  return made;
}

/** Whether the scenario lists its links: their nodes have no places to be dragged to. */
export function isMeasured({ scenario }: Resolved): boolean {
  return (scenario["topology"] as { kind: string } | undefined)?.kind === "links";
}

export class NetworkMap {
  private positions: [number, number][] = [];
  private resolved: Resolved | null = null;
  private dragged = -1;
  private scale = 1;
  private left = 0;
  private top = 0;

  constructor(
    private readonly svg: SVGSVGElement,
    private readonly moved: (positions: [number, number][]) => void,
  ) {
    svg.addEventListener("pointermove", (event) => this.drag(event));
    svg.addEventListener("pointerup", () => this.release());
    svg.addEventListener("pointercancel", () => this.release());
    svg.addEventListener("keydown", (event) => this.key(event));
  }

  show(resolved: Resolved): void {
    this.resolved = resolved;
    if (this.dragged >= 0) return;
    this.positions = resolved.positions.map(([x, y]) => [x, y]);
    this.fit();
    this.draw();
  }

  private fit(): void {
    const xs = this.positions.map(([x]) => x);
    const ys = this.positions.map(([, y]) => y);
    const [width, height] = [Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys)];
    // Room to drag a node into; a row of nodes has room above and below.
    const margin = Math.max(width * 0.12, 120);
    const box = { width: width + 2 * margin, height: Math.max(height + 2 * margin, 420) };
    const pixels = Math.max(this.svg.clientWidth, 280);
    this.scale = Math.min(pixels / box.width, 380 / Math.max(height + 2 * margin, 1));
    this.left = Math.min(...xs) - (pixels / this.scale - width) / 2;
    this.top = Math.max(...ys) + (Math.min(box.height, 380 / this.scale) - height) / 2;
    const tall = Math.min(box.height * this.scale, 380);
    this.top = Math.max(...ys) + (tall / this.scale - height) / 2;
    this.svg.setAttribute("viewBox", `0 0 ${pixels} ${tall}`);
    this.svg.style.height = `${tall}px`;
  }

  private at(node: number): [number, number] {
    const [x, y] = this.positions[node];
    return [(x - this.left) * this.scale, (this.top - y) * this.scale];
  }

  private draw(): void {
    const { resolved, positions } = this;
    if (!resolved) return;
    const focused = document.activeElement?.closest?.("[data-node]")?.getAttribute("data-node");
    const parts: SVGElement[] = [];
    const { rx_range_m: reach, cs_range_m: sensed } = resolved.facts;
    if (this.dragged >= 0) {
      const [cx, cy] = this.at(this.dragged);
      parts.push(shape("circle", { cx, cy, r: sensed * this.scale, class: "m-sensed" }), shape("circle", { cx, cy, r: reach * this.scale, class: "m-reach" }));
    }
    for (const [a, b] of this.links(reach)) {
      const [[x1, y1], [x2, y2]] = [this.at(a), this.at(b)];
      parts.push(shape("line", { x1, y1, x2, y2, class: "m-link" }));
    }
    resolved.flow_tables.forEach((flow, i) => {
      const [src, dst] = [Number(flow["from"]), Number(flow["to"])];
      if (!positions[src] || !positions[dst]) return;
      const [[x1, y1], [x2, y2]] = [this.at(src), this.at(dst)];
      const bend = 26 + 12 * (i % 4);
      const path = shape("path", { d: `M${x1},${y1} Q${(x1 + x2) / 2},${(y1 + y2) / 2 - bend} ${x2},${y2}`, class: "m-flow" });
      path.append(shape("title", {}, `flow ${i}: node ${src} to node ${dst}`));
      parts.push(path);
    });
    const names = (resolved.scenario["topology"] as { names?: string[] } | undefined)?.names;
    positions.forEach(([x, y], node) => {
      const [cx, cy] = this.at(node);
      const place = isMeasured(resolved) ? "" : ` at ${Math.round(x)} m, ${Math.round(y)} m; arrow keys move it`;
      const label = `node ${node}${names?.[node] ? ` (${names[node]})` : ""}${place}`;
      const group = shape("g", { class: "m-node", tabindex: 0, role: "button", "aria-label": label, "data-node": node });
      group.append(shape("title", {}, label), shape("circle", { cx, cy, r: RADIUS }), shape("text", { x: cx, y: cy + 4.5 }, String(node)));
      group.addEventListener("pointerdown", (event) => this.grab(node, event as PointerEvent));
      parts.push(group);
    });
    this.svg.replaceChildren(...parts);
    if (focused) this.svg.querySelector<SVGElement>(`[data-node="${focused}"]`)?.focus();
  }

  /** Pairs that a line joins: those of the engine, but while a node is away from its place, those in reception range. */
  private links(reach: number): [number, number][] {
    const { resolved, positions } = this;
    if (resolved && resolved.positions.every(([x, y], node) => positions[node][0] === x && positions[node][1] === y)) return resolved.links;
    const near = ([x0, y0]: [number, number], [x1, y1]: [number, number]) => Math.hypot(x1 - x0, y1 - y0) <= reach;
    return positions.flatMap((place, a) => positions.flatMap((other, b): [number, number][] => (b > a && near(place, other) ? [[a, b]] : [])));
  }

  private grab(node: number, event: PointerEvent): void {
    if (!this.resolved || isMeasured(this.resolved)) return;
    event.preventDefault();
    this.dragged = node;
    this.svg.setPointerCapture(event.pointerId);
    this.draw();
  }

  private drag(event: PointerEvent): void {
    if (this.dragged < 0) return;
    const box = this.svg.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const inside = (value: number, most: number) => Math.min(Math.max(value, RADIUS), most - RADIUS);
    this.positions[this.dragged] = [
      Math.round(this.left + inside(x, box.width) / this.scale),
      Math.round(this.top - inside(y, box.height) / this.scale),
    ];
    this.draw();
  }

  private release(): void {
    if (this.dragged < 0) return;
    this.dragged = -1;
    this.draw();
    this.moved(this.positions);
  }

  private key(event: KeyboardEvent): void {
    const node = Number((event.target as Element).closest("[data-node]")?.getAttribute("data-node") ?? -1);
    const steps: Record<string, [number, number]> = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP] };
    const step = steps[event.key];
    if (node < 0 || !step || !this.resolved || isMeasured(this.resolved)) return;
    event.preventDefault();
    const [x, y] = this.positions[node];
    this.positions[node] = [Math.round(x + step[0]), Math.round(y + step[1])];
    this.draw();
    this.moved(this.positions);
  }
}
