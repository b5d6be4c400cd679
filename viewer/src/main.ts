// Entry point of the animation in reports: reads the data embedded in the page, builds the parts, and drives them from one clock.
import { Camera } from "./draw/camera.ts";
import { Charts, chartsOf } from "./panels/charts.ts";
import { Clock } from "./clock.ts";
import { Controls } from "./panels/controls.ts";
import { element, setText } from "./panels/dom.ts";
import { Hops } from "./panels/hops.ts";
import { legend } from "./panels/legend.ts";
import type { Paper } from "./draw/styles.ts";
import { Picture } from "./draw/picture.ts";
import { Scene } from "./data/scene.ts";
import type { Data } from "./data/scene.ts";
import { lastAt } from "./data/steps.ts";
import type { Choice } from "./draw/view.ts";
import { frameText, lines } from "./panels/event_text.ts";

/** Updates of texts and tables per second: readable, and cheap. */
const TEXT_HZ = 8;
const NEWS = 8;
const ON_AIR = 4;

class Viewer {
  readonly clock: Clock;
  readonly picture: Picture;
  private readonly canvas = element("canvas", { class: "v-canvas", tabindex: 0, role: "application", "aria-roledescription": "animation" });
  private readonly stage = element("div", { class: "v-stage" });
  private readonly air = element("p", { class: "v-air", "aria-live": "off" });
  private readonly news = element("ol", { class: "v-news", "aria-live": "off" });
  private readonly hopsBox = element("div");
  private readonly chartsBox = element("div");
  private readonly chooser = element("select", {});
  private readonly controls: Controls;
  private readonly charts: Charts;
  private readonly lines: ReturnType<typeof lines>;
  private readonly lineTimes: number[];
  private hops: Hops | null = null;
  private textsAt = 0;
  private shownNews = "";
  private stale = true;
  private width = 0;

  constructor(
    root: HTMLElement,
    readonly scene: Scene,
  ) {
    const paper = paperOf(root);
    this.clock = new Clock(scene.begin, scene.end);
    this.picture = new Picture(this.canvas, scene, new Camera(scene.trajectories.box()), paper);
    this.controls = new Controls(this.clock, {
      toggle: () => this.toggle(),
      seek: (t) => this.seek(t),
      frame: (by) => this.frame(by),
      speed: (speed) => {
        this.clock.speed = speed;
        this.stale = true;
      },
      zoom: (factor) => this.zoom(factor),
    });
    this.charts = new Charts(this.chartsBox, paper, (t) => this.seek(t));
    this.lines = lines(scene);
    this.lineTimes = this.lines.map((line) => line.t);
    const keys = element("p", { class: "v-keys", id: "v-keys" });
    for (const [key, what] of KEYS) keys.append(element("kbd", {}, key), ` ${what}  `);
    this.canvas.setAttribute("aria-describedby", keys.id);
    this.stage.append(element("div", { class: "v-picture" }, this.canvas, this.controls.zoom), this.controls.bar, this.air);
    const side = element("div", { class: "v-side" }, element("label", {}, "Plot", this.chooser), this.hopsBox, this.chartsBox);
    const rest = element(
      "div",
      { class: "v-rest" },
      legend(scene, this.picture.view, () => (this.stale = true)),
      keys,
      element("p", { class: "v-heading", id: "v-news" }, "Recent events"),
      this.news,
    );
    this.news.setAttribute("aria-labelledby", "v-news");
    const app = element("div", { class: "v-app" }, element("div", { class: "v-columns" }, this.stage, side, rest));
    root.replaceChildren(app);
    this.fillChooser();
    this.listen(app);
    this.choose(scene.flows.length > 0 ? { of: "flow", id: 0 } : { of: "node", id: 0 });
    this.seek(firstSight(scene));
    new ResizeObserver(() => this.resize()).observe(this.stage);
    this.resize();
    requestAnimationFrame((now) => this.loop(now));
  }

  seek(t: number): void {
    this.clock.seek(t);
    this.stale = true;
  }

  /** Draws the state at `t` without waiting for the next animation frame. */
  draw(t: number): void {
    this.picture.draw(t, this.clock.speed);
    this.charts.move(t);
  }

  choose(choice: Choice): void {
    const { view } = this.picture;
    view.choice = choice;
    this.chooser.value = choice ? `${choice.of} ${choice.id}` : "";
    this.hops = choice?.of === "flow" ? new Hops(this.hopsBox, this.scene, choice.id, (id) => this.choose({ of: "node", id })) : null;
    if (!this.hops) this.hopsBox.replaceChildren();
    this.charts.show(choice ? chartsOf(this.scene, choice) : [], this.scene.begin, this.scene.end);
    this.stale = true;
  }

  toggle(): void {
    if (this.clock.running) this.clock.pause();
    else this.clock.play();
    this.stale = true;
  }

  /** Seeks to the next (1) or previous (-1) frame, while it is on the air. */
  frame(by: 1 | -1): void {
    const { t, air } = this.scene.frames;
    this.clock.pause();
    const i = lastAt(t, this.clock.t) + by;
    if (i >= 0 && i < t.length) this.seek(t[i] + air[i] * 0.6);
  }

  private zoom(factor: number): void {
    const { camera } = this.picture.view;
    if (factor === 0) camera.fit();
    else camera.enlarge(factor);
    this.canvas.classList.toggle("v-movable", camera.enlarged);
    this.stale = true;
  }

  private resize(): void {
    const width = this.stage.clientWidth;
    if (width < 10 || width === this.width) return;
    this.width = width;
    this.picture.resize(width);
    this.stale = true;
  }

  private loop(now: number): void {
    this.clock.tick(now);
    if (this.clock.running || this.stale) {
      this.draw(this.clock.t);
      this.controls.update();
      if (this.stale || now - this.textsAt > 1000 / TEXT_HZ) {
        this.updateTexts();
        this.textsAt = now;
      }
      this.stale = false;
    }
    requestAnimationFrame((next) => this.loop(next));
  }

  /** Updates the texts: active frames, recent events, labels for screen readers. */
  private updateTexts(): void {
    const { scene, clock } = this;
    const { t } = clock;
    this.hops?.move(t);
    const { frames } = scene;
    const now: string[] = [];
    for (let i = lastAt(frames.t, t); i >= 0 && frames.t[i] > t - scene.longest && now.length < ON_AIR; i -= 1)
      if (frames.t[i] + frames.air[i] >= t) now.push(frameText(scene, i));
    // Announced only when paused: during playback a screen reader cannot keep up.
    this.air.setAttribute("aria-live", clock.running ? "off" : "polite");
    setText(this.air, now.length > 0 ? `On the air: ${now.join("; ")}` : "No active transmission");
    const last = lastAt(this.lineTimes, t);
    const shown = this.lines.slice(Math.max(last - NEWS + 1, 0), last + 1).reverse();
    const key = `${last}`;
    if (key !== this.shownNews) {
      this.shownNews = key;
      this.news.replaceChildren(...shown.map((line) => element("li", {}, element("time", {}, `${line.t.toFixed(3)} s`), line.text)));
      if (shown.length === 0) this.news.append(element("li", {}, "no loss, timeout or congestion yet"));
    }
    const waiting = [...scene.queue.values()].reduce((sum, steps) => sum + steps.at(t, 0), 0);
    this.canvas.setAttribute(
      "aria-label",
      `Network of ${scene.nodes} nodes at ${t.toFixed(3)} s: ${now.length} frames on the air, ${waiting} packets queued`,
    );
  }

  private fillChooser(): void {
    const flows = element("optgroup", { label: "flows" });
    this.scene.flows.forEach((flow, id) =>
      flows.append(element("option", { value: `flow ${id}` }, `flow ${id}: ${flow.transport}, node ${flow.src} to ${flow.dst}`)),
    );
    const nodes = element("optgroup", { label: "nodes" });
    for (let id = 0; id < this.scene.nodes; id += 1) nodes.append(element("option", { value: `node ${id}` }, `node ${id}`));
    this.chooser.append(element("option", { value: "" }, "nothing"), flows, nodes);
    this.chooser.addEventListener("change", () => {
      const [of, id] = this.chooser.value.split(" ");
      this.choose(of === "flow" || of === "node" ? { of, id: Number(id) } : null);
    });
  }

  private listen(app: HTMLElement): void {
    const { canvas } = this;
    const { camera } = this.picture.view;
    let drag: { x: number; y: number; moved: boolean } | null = null;
    canvas.addEventListener("pointerdown", (event) => {
      drag = { x: event.clientX, y: event.clientY, moved: false };
      if (camera.enlarged) canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!drag) return;
      const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
      if (!drag.moved && Math.hypot(dx, dy) < 4) return;
      drag = { x: event.clientX, y: event.clientY, moved: true };
      if (!camera.enlarged) return;
      camera.move(dx, dy);
      this.stale = true;
    });
    canvas.addEventListener("pointerup", (event) => {
      const clicked = drag !== null && !drag.moved;
      drag = null;
      if (!clicked) return;
      const box = canvas.getBoundingClientRect();
      const choice = this.picture.at(event.clientX - box.left, event.clientY - box.top);
      if (choice) this.choose(choice);
    });
    canvas.addEventListener("pointercancel", () => (drag = null));
    // Without Ctrl, the wheel scrolls the page.
    canvas.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey) return;
        event.preventDefault();
        const box = canvas.getBoundingClientRect();
        camera.enlarge(event.deltaY < 0 ? 1.2 : 1 / 1.2, event.clientX - box.left, event.clientY - box.top);
        canvas.classList.toggle("v-movable", camera.enlarged);
        this.stale = true;
      },
      { passive: false },
    );
    app.addEventListener("keydown", (event) => this.key(event));
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const target = event.target as HTMLElement;
    // A focused control handles its own keys.
    if (target.closest("select")) return;
    if (target.closest("button, input, .scroll") && (event.key === " " || event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End"))
      return;
    const leap = (this.scene.end - this.scene.begin) / 100;
    const { choice } = this.picture.view;
    const act: Record<string, () => void> = {
      " ": () => this.toggle(),
      ",": () => this.frame(-1),
      ".": () => this.frame(1),
      ArrowLeft: () => this.seek(this.clock.t - leap),
      ArrowRight: () => this.seek(this.clock.t + leap),
      ArrowUp: () => this.clock.faster(1),
      ArrowDown: () => this.clock.faster(-1),
      Home: () => this.seek(this.scene.begin),
      End: () => this.seek(this.scene.end),
      n: () => this.choose({ of: "node", id: choice?.of === "node" ? (choice.id + 1) % this.scene.nodes : 0 }),
      f: () =>
        this.scene.flows.length > 0 && this.choose({ of: "flow", id: choice?.of === "flow" ? (choice.id + 1) % this.scene.flows.length : 0 }),
      Escape: () => this.choose(null),
      "+": () => this.zoom(1.5),
      "-": () => this.zoom(1 / 1.5),
      "0": () => this.zoom(0),
    };
    const found = act[event.key];
    if (!found) return;
    event.preventDefault();
    found();
    this.stale = true;
  }
}

const KEYS = [
  ["space", "play or pause"],
  [", .", "one frame"],
  ["\u2190 \u2192", "1 % of the run"],
  ["\u2191 \u2193", "speed"],
  ["n f", "next node, next flow"],
  ["+ \u2212 0", "zoom"],
];

/** Start position: the first data frame on the air. */
function firstSight(scene: Scene): number {
  const { frames, data } = scene;
  const carries = new Set(data.names.kinds.flatMap((kind, i) => (kind === "segment" || kind === "datagram" ? [i] : [])));
  for (let i = 0; i < frames.t.length; i += 1) if (carries.has(frames.kind[i])) return frames.t[i] + frames.air[i] / 2;
  return scene.begin;
}

function paperOf(root: HTMLElement): Paper {
  const style = getComputedStyle(root);
  const color = (name: string, otherwise: string) => style.getPropertyValue(name).trim() || otherwise;
  return {
    ink: color("--ink", "#1a1f24"),
    soft: color("--soft", "#57606a"),
    line: color("--line", "#d8dee4"),
    paper: color("--paper", "#ffffff"),
    wash: color("--wash", "#f4f6f8"),
  };
}

async function start(): Promise<void> {
  const root = document.getElementById("panel");
  const source = document.getElementById("panel-data");
  if (!root || !source?.textContent) return;
  try {
    if (typeof DecompressionStream === "undefined") throw new Error("this browser lacks DecompressionStream; browsers since 2023 have it");
    root.textContent = "Unpacking the animation \u2026";
    const viewer = new Viewer(root, await Scene.read(JSON.parse(source.textContent) as Data));
    (window as unknown as { hoplabViewer: Viewer }).hoplabViewer = viewer;
  } catch (error) {
    root.replaceChildren(element("p", { class: "warning", role: "alert" }, `The animation cannot be shown: ${error instanceof Error ? error.message : String(error)}`));
    root.dataset["failed"] = "yes";
  }
}

void start();
