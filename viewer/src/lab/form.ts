// Controls of the scenario: each edits the text, and each shows what the text says.
import { element } from "../panels/dom.ts";
import type { Compare } from "./scenario/compare.ts";
import { NO_RTS } from "./scenario/compare.ts";
import type { Resolved, Transport } from "./engine.ts";
import type { Settings } from "./scenario/link.ts";
import { replaceTables, setKey, valueText } from "./scenario/toml.ts";
import { PRESETS, REPLACED } from "./scenario/topologies.ts";
import { MOVEMENTS, RADIOS, movementOf, radioOf, withMovement, withRadio } from "./scenario/choices.ts";

const COMPARED: [Compare, string][] = [
  ["transports", "transports"],
  ["rts", "with and without RTS"],
  ["hops", "1 to 8 hops"],
  ["metric", "paths by hops and by ETX"],
  ["nothing", "nothing: the file as it is"],
];
const OWN = "own";

export class Form {
  private readonly topology = element("select", { id: "f-topology" });
  private readonly size = slider("f-size", 1, 12);
  private readonly duration = slider("f-duration", 2, 60);
  private readonly radio = element("select", { id: "f-radio" });
  private readonly movement = element("select", { id: "f-movement" });
  private readonly rts = element("select", { id: "f-rts" });
  private readonly seeds = slider("f-seeds", 1, 30);
  private readonly compare = element("select", { id: "f-compare" });
  private readonly transports = element("div", { role: "group", "aria-label": "Transports" });
  private readonly boxes = new Map<string, HTMLInputElement>();
  private positions: [number, number][] = [];
  settings: Settings = { text: "", compare: "transports", transports: ["new_reno"], seeds: 5 };

  constructor(root: HTMLElement, changed: () => void) {
    options(this.topology, [...PRESETS.map(({ name, title }): [string, string] => [name, title]), [OWN, "as in the text"]]);
    options(this.radio, [...RADIOS.map(({ title }, i): [string, string] => [String(i), title]), [OWN, "as in the text"]]);
    options(this.movement, [["none", "none"], ...MOVEMENTS.map(({ name, title }): [string, string] => [name, title]), [OWN, "as in the text"]]);
    options(this.rts, [["0 B", "for all frames"], [NO_RTS, "for none"], [OWN, "as in the text"]]);
    options(this.compare, COMPARED);
    row(root, "Topology", "f-topology", this.topology);
    row(root, "Hops, or side", "f-size", this.size, output(this.size, ""));
    row(root, "Compare", "f-compare", this.compare);
    root.append(element("span", {}, "Transports"), this.transports);
    row(root, "Radio", "f-radio", this.radio);
    row(root, "RTS", "f-rts", this.rts);
    row(root, "Movement", "f-movement", this.movement);
    row(root, "Simulated time", "f-duration", this.duration, output(this.duration, " s"));
    row(root, "Seeds", "f-seeds", this.seeds, output(this.seeds, ""));
    const edit = (control: HTMLElement, event: string, act: (text: string) => string) =>
      control.addEventListener(event, () => {
        this.settings.text = act(this.settings.text);
        changed();
      });
    const preset = (text: string) => {
      const found = PRESETS.find(({ name }) => name === this.topology.value);
      const cleared = text.replace(/^\s*cs_range\s*=.*\n/m, "");
      return found ? replaceTables(cleared, REPLACED, found.tables(Number(this.size.value), this.settings.transports.find((name) => name !== "udp") ?? "new_reno")) : text;
    };
    edit(this.topology, "change", (text) => {
      const datagrams = ["hidden", "exposed"].includes(this.topology.value);
      if (datagrams && this.settings.compare === "transports") this.settings.compare = "rts";
      if (!datagrams && this.settings.compare === "rts") this.settings.compare = "transports";
      if (this.topology.value !== "chain" && this.settings.compare === "hops") this.settings.compare = "nothing";
      if (this.topology.value !== "measured" && this.settings.compare === "metric") this.settings.compare = "transports";
      if (this.topology.value === "measured") this.settings.compare = "metric";
      return preset(text);
    });
    edit(this.size, "input", preset);
    edit(this.duration, "input", (text) => setKey(text, "", "duration", `"${this.duration.value} s"`));
    edit(this.radio, "change", (text) => (this.radio.value === OWN ? text : withRadio(text, RADIOS[Number(this.radio.value)])));
    edit(this.movement, "change", (text) => {
      const { value } = this.movement;
      return value === OWN ? text : withMovement(text, MOVEMENTS.find(({ name }) => name === value), this.positions);
    });
    edit(this.rts, "change", (text) => (this.rts.value === OWN ? text : setKey(text, "mac", "rts_threshold", `"${this.rts.value}"`)));
    this.transports.addEventListener("change", ({ target }) => {
      const chosen = () => [...this.boxes].filter(([, box]) => box.checked).map(([name]) => name);
      if (chosen().length === 0) (target as HTMLInputElement).checked = true;
      this.settings.transports = chosen();
      this.settings.compare = "transports";
      changed();
    });
    this.compare.addEventListener("change", () => {
      this.settings.compare = this.compare.value as Compare;
      changed();
    });
    this.seeds.addEventListener("input", () => {
      this.settings.seeds = Number(this.seeds.value);
      changed();
    });
  }

  /** Offers these transports, in their groups. */
  offer(transports: Transport[]): void {
    for (const group of new Set(transports.map((one) => one.group))) {
      const own = element("div", { role: "group", "aria-label": group }, element("span", { class: "l-group" }, group));
      for (const { name, title, summary } of transports.filter((one) => one.group === group)) {
        const box = element("input", { type: "checkbox", id: `f-${name}` });
        this.boxes.set(name, box);
        own.append(element("label", { class: "l-check", title: `${name}: ${summary}` }, box, title));
      }
      this.transports.append(own);
    }
  }

  /** Shows settings, before the engine has read their text. */
  show(): void {
    this.compare.value = this.settings.compare;
    set(this.seeds, this.settings.seeds);
    for (const [name, box] of this.boxes) box.checked = this.settings.transports.includes(name);
  }

  /** Shows what the engine has read. */
  showResolved({ scenario, positions, flow_tables: flows }: Resolved): void {
    const topology = scenario["topology"] as { kind: string } | undefined;
    const mac = scenario["mac"] as { rts_threshold: number };
    this.positions = positions;
    set(this.duration, Number(scenario["duration_s"]));
    const kind = topology?.kind;
    const name = kind === "chain" ? (flows.length > 1 ? "gateway" : "chain") : kind === "grid" ? "mesh" : kind === "links" ? "measured" : kind === "positions" ? this.placed(positions.length) : OWN;
    this.topology.value = name;
    this.size.disabled = !["chain", "gateway", "mesh"].includes(name);
    if (!this.size.disabled) set(this.size, name === "mesh" ? Math.round(Math.sqrt(positions.length)) : positions.length - 1);
    const radio = radioOf(scenario);
    this.radio.value = radio < 0 ? OWN : String(radio);
    this.movement.value = movementOf(scenario) ?? OWN;
    this.movement.disabled = kind === "links";
    const threshold = `${mac.rts_threshold} B`;
    this.rts.value = ["0 B", NO_RTS].includes(threshold) ? threshold : OWN;
  }

  private placed(nodes: number): string {
    return this.topology.value === "hidden" && nodes === 3 ? "hidden" : this.topology.value === "exposed" && nodes === 4 ? "exposed" : OWN;
  }

  /** Nodes have been dragged: their places become those of the text, and flows name their ends. */
  place(positions: [number, number][], { scenario, flow_tables: flows }: Resolved): void {
    const { text } = this.settings;
    const is = (scenario["topology"] as { kind: string } | undefined)?.kind === "positions";
    const places = valueText(positions);
    if (is) {
      this.settings.text = setKey(text, "topology", "positions", places);
      return;
    }
    const tables = flows.map((flow) => `[[flow]]\n${Object.entries(flow).map(([key, value]) => `${key} = ${valueText(value)}`).join("\n")}\n`);
    this.settings.text = replaceTables(text, REPLACED, `[topology]\nkind = "positions"\npositions = ${places}\n\n${tables.join("\n")}`);
    if (this.settings.compare === "hops") this.settings.compare = "nothing";
  }
}

function slider(id: string, min: number, max: number): HTMLInputElement {
  return element("input", { type: "range", id, min, max, step: 1 });
}

function set(control: HTMLInputElement, value: number): void {
  control.value = String(value);
  control.dispatchEvent(new Event("shown"));
}

function output(control: HTMLInputElement, unit: string): HTMLOutputElement {
  const made = element("output", { for: control.id });
  const show = () => (made.textContent = `${control.value}${unit}`);
  for (const event of ["input", "shown"]) control.addEventListener(event, show);
  return made;
}

function options(select: HTMLSelectElement, listed: [string, string][]): void {
  for (const [value, title] of listed) select.append(element("option", { value }, title));
}

function row(root: HTMLElement, title: string, id: string, ...controls: HTMLElement[]): void {
  root.append(element("label", { for: id }, title), element("div", {}, ...controls));
}
