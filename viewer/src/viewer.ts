// The animation: builds the parts, and drives them from one clock.
import { Charts, chartsOf } from "./panels/charts.ts";
import { Clock, shownTime } from "./clock.ts";
import { Controls } from "./panels/controls.ts";
import { element, setText } from "./panels/dom.ts";
import { Hops } from "./panels/hops.ts";
import { Inspector } from "./panels/inspector.ts";
import type { Target } from "./panels/inspector.ts";
import { Recorder, save } from "./panels/recorder.ts";
import { legend } from "./panels/legend.ts";
import { countsOf, firstSight, laneOf, paperOf } from "./draw/lane.ts";
import type { Lane } from "./draw/lane.ts";
import type { Paper } from "./draw/styles.ts";
import type { Picture } from "./draw/picture.ts";
import { Scene } from "./data/scene.ts";
import { neighbor } from "./data/incidents.ts";
import type { Incident } from "./data/incidents.ts";
import { lastAt } from "./data/steps.ts";
import { still } from "./draw/svg.ts";
import type { Choice } from "./draw/view.ts";
import { frameText, lines } from "./panels/event_text.ts";

/** Updates of texts and tables per second: readable, and cheap. */
const TEXT_HZ = 8;
const NEWS = 8;
const ON_AIR = 4;

export class Viewer {
  readonly clock: Clock;
  readonly picture: Picture;
  readonly lanes: Lane[];
  private readonly canvas: HTMLCanvasElement;
  private readonly inspector = new Inspector();
  private readonly recorder = new Recorder();
  private readonly film = element("canvas");
  private readonly app: HTMLElement;
  private readonly paper: Paper;
  private hovered: Pointed = null;
  private pinned: Pointed = null;
  private isLecture = false;
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
    private readonly root: HTMLElement,
    readonly scene: Scene,
    beside: Scene | null,
  ) {
    const paper = (this.paper = paperOf(root));
    this.clock = new Clock(scene.begin, beside ? Math.max(scene.end, beside.end) : scene.end);
    this.lanes = (beside ? [scene, beside] : [scene]).map((one) => laneOf(one, paper));
    this.picture = this.lanes[0].picture;
    this.canvas = this.lanes[0].canvas;
    for (const { picture } of this.lanes) picture.view.layers = this.picture.view.layers;
    const counts = countsOf(this.lanes);
    this.controls = new Controls(this.clock, counts, {
      toggle: () => this.toggle(),
      seek: (t) => this.seek(t),
      frame: (by) => this.frame(by),
      speed: (speed) => {
        this.clock.speed = speed;
        this.stale = true;
      },
      zoom: (factor) => this.zoom(factor),
      jump: (to, by) => this.jump(to, by),
      lecture: () => this.lecture(!this.isLecture),
      record: () => this.record(),
      still: (kind) => this.still(kind),
    });
    this.charts = new Charts(this.chartsBox, paper, (t) => this.seek(t));
    this.lines = lines(scene);
    this.lineTimes = this.lines.map((line) => line.t);
    const keys = element("p", { class: "v-keys", id: "v-keys" });
    for (const [key, what] of KEYS) keys.append(element("kbd", {}, key), ` ${what}  `);
    this.canvas.setAttribute("aria-describedby", keys.id);
    const pictures = element("div", { class: this.lanes.length > 1 ? "v-pictures v-two" : "v-pictures" });
    for (const lane of this.lanes) {
      const caption = lane.scene.data.title ? [element("p", { class: "v-heading" }, lane.scene.data.title)] : [];
      pictures.append(element("div", { class: "v-lane" }, ...caption, lane.canvas));
    }
    const happened = element("div", { class: "v-happened" }, element("p", { class: "v-heading", id: "v-news" }, "What happened last"), this.news);
    this.stage.append(element("div", { class: "v-picture" }, pictures, this.controls.zoom), this.controls.bar, this.air, happened);
    const plots = element("div", { class: "v-plots" }, element("label", {}, "Plot", this.chooser), this.hopsBox, this.chartsBox);
    const side = element("div", { class: "v-side" }, this.inspector.box, plots);
    const rest = element(
      "div",
      { class: "v-rest" },
      legend(scene, this.picture.view, () => (this.stale = true)),
      keys,
    );
    this.news.setAttribute("aria-labelledby", "v-news");
    const app = (this.app = element("div", { class: "v-app" }, element("div", { class: "v-columns" }, this.stage, side, rest)));
    root.replaceChildren(app);
    this.fillChooser();
    this.listen(app);
    this.choose(scene.flows.length > 0 ? { of: "flow", id: 0 } : { of: "node", id: 0 });
    this.seek(firstSight(scene));
    new ResizeObserver(() => this.resize()).observe(this.stage);
    window.addEventListener("resize", () => this.resize());
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      Object.assign(this.paper, paperOf(this.root));
      this.choose(this.picture.view.choice);
    });
    document.addEventListener("fullscreenchange", () => {
      if (!document.fullscreenElement && this.isLecture) this.lecture(false);
    });
    this.resize();
    requestAnimationFrame((now) => this.loop(now));
  }

  seek(t: number): void {
    this.clock.seek(t);
    this.stale = true;
  }

  /** Draws the state at `t` without waiting for the next animation frame. */
  draw(t: number): void {
    for (const { picture, scene } of this.lanes) picture.draw(Math.min(t, scene.end), this.clock.speed);
    this.charts.move(t);
    if (this.recorder.running) this.expose();
  }

  choose(choice: Choice): void {
    for (const { picture, scene } of this.lanes) picture.view.choice = choice && choice.id < (choice.of === "node" ? scene.nodes : scene.flows.length) ? choice : null;
    this.chooser.value = choice ? `${choice.of} ${choice.id}` : "";
    this.hops = choice?.of === "flow" ? new Hops(this.hopsBox, this.scene, choice.id, (id) => this.choose({ of: "node", id })) : null;
    if (!this.hops) this.hopsBox.replaceChildren();
    this.charts.show(choice ? chartsOf(this.scene, choice) : [], this.scene.begin, this.scene.end);
    this.stale = true;
  }

  /** Seeks to the next (1) or previous (-1) collision, drop or timeout of any run. */
  jump(to: Incident, by: 1 | -1): void {
    this.clock.pause();
    const found = this.lanes.map((lane) => neighbor(lane.incidents[to], this.clock.t, by)).filter((t) => t !== undefined);
    if (found.length > 0) this.seek(by > 0 ? Math.min(...found) : Math.max(...found));
    this.stale = true;
  }

  /** Enters or leaves the full screen. */
  lecture(on: boolean): void {
    this.isLecture = on;
    this.app.classList.toggle("v-lecture", on);
    document.documentElement.classList.toggle("v-still", on);
    for (const { picture } of this.lanes) picture.wide = on;
    // Without permission for the full screen, the picture fills the window.
    if (on && !document.fullscreenElement) this.app.requestFullscreen?.().catch(() => undefined);
    else if (!on && document.fullscreenElement) document.exitFullscreen().catch(() => undefined);
    this.controls.setModes(on, this.recorder.running);
    this.width = 0;
    this.resize();
    this.canvas.focus({ preventScroll: on });
  }

  /** Starts a video, or ends and saves it. */
  record(): void {
    if (this.recorder.running) {
      this.clock.pause();
      this.recorder.stop();
    } else {
      this.expose();
      try {
        this.recorder.start(this.film, (video) => save(video, "hoplab.webm"));
        this.clock.play();
      } catch (error) {
        setText(this.air, error instanceof Error ? error.message : String(error));
        return;
      }
    }
    this.controls.setModes(this.isLecture, this.recorder.running);
    this.stale = true;
  }

  /** Saves the pictures of this moment, with names and time. */
  still(kind: "png" | "svg"): void {
    this.draw(this.clock.t);
    if (kind === "png") {
      this.expose();
      this.film.toBlob((picture) => picture && save(picture, "hoplab.png"));
      return;
    }
    const panels = this.lanes.map(({ scene, picture }, i) => {
      const { width, height } = picture.view.camera;
      const title = [scene.data.title, i === 0 ? shownTime(this.clock.t) : ""].filter(Boolean).join("   ");
      return { title, elements: picture.svg(), width, height };
    });
    save(new Blob([still(panels, this.paper.ink, this.paper.paper)], { type: "image/svg+xml" }), "hoplab.svg");
  }

  /** Copies all pictures, with names and time, to the canvas that is recorded. */
  private expose(): void {
    const { film, paper } = this;
    const canvases = this.lanes.map((lane) => lane.canvas);
    const head = 36;
    const [width, height] = [canvases.reduce((sum, one) => sum + one.width, 0), head + Math.max(...canvases.map((one) => one.height))];
    if (film.width !== width || film.height !== height) [film.width, film.height] = [width, height];
    const ctx = film.getContext("2d");
    if (!ctx) return;
    ctx.fillStyle = paper.paper;
    ctx.fillRect(0, 0, width, height);
    ctx.fillStyle = paper.ink;
    ctx.font = "600 20px system-ui, sans-serif";
    let x = 0;
    this.lanes.forEach((lane, i) => {
      const name = lane.scene.data.title ? `${lane.scene.data.title}   ` : "";
      ctx.fillText(i === 0 ? `${name}${shownTime(this.clock.t)}` : name, x + 12, 25);
      ctx.drawImage(lane.canvas, x, head);
      x += lane.canvas.width;
    });
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
    for (const { picture, canvas } of this.lanes) {
      const { camera } = picture.view;
      if (factor === 0) camera.fit();
      else camera.enlarge(factor);
      canvas.classList.toggle("v-movable", camera.enlarged);
    }
    this.stale = true;
  }

  private resize(): void {
    const width = this.stage.clientWidth + (this.isLecture ? window.innerHeight / 1e4 : 0);
    if (width < 10 || width === this.width) return;
    this.width = width;
    for (const { picture, canvas } of this.lanes) {
      // In a lecture, the pictures have the height that controls and events leave.
      const rest = this.stage.scrollHeight - (canvas.closest<HTMLElement>(".v-pictures")?.offsetHeight ?? 0);
      const height = this.isLecture ? Math.max(window.innerHeight - rest - 40, 240) : undefined;
      picture.resize(canvas.parentElement?.clientWidth || width, height);
    }
    this.stale = true;
  }

  private loop(now: number): void {
    // Another run has taken its place in the page.
    if (!this.app.isConnected) return;
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
    const target = this.hovered ?? this.pinned ?? this.chosenNode();
    this.inspector.show(target?.lane.scene ?? scene, target?.target ?? null, t, this.hovered === null && this.pinned !== null);
    const last = lastAt(this.lineTimes, t);
    const shown = this.lines.slice(Math.max(last - NEWS + 1, 0), last + 1).reverse();
    const key = `${last}`;
    if (key !== this.shownNews) {
      this.shownNews = key;
      this.news.replaceChildren(...shown.map((line) => element("li", {}, element("time", {}, `${line.t.toFixed(3)} s`), line.text)));
      if (shown.length === 0) this.news.append(element("li", {}, "no loss, timeout or congestion yet"));
    }
    const waiting = scene.queues().reduce((sum, steps) => sum + steps.at(t, 0), 0);
    this.canvas.setAttribute(
      "aria-label",
      `Network of ${scene.nodes} nodes at ${t.toFixed(3)} s: ${now.length} frames on the air, ${waiting} packets queued`,
    );
  }

  private chosenNode(): Pointed {
    const { choice } = this.picture.view;
    return choice?.of === "node" ? { lane: this.lanes[0], target: { of: "node", id: choice.id } } : null;
  }

  private fillChooser(): void {
    const flows = element("optgroup", { label: "flows" });
    this.scene.flows.forEach((flow, id) =>
      flows.append(element("option", { value: `flow ${id}` }, `flow ${id}: ${flow.transport}, ${this.scene.word(flow.src)} to ${this.scene.label(flow.dst)}`)),
    );
    const nodes = element("optgroup", { label: "nodes" });
    for (let id = 0; id < this.scene.nodes; id += 1) nodes.append(element("option", { value: `node ${id}` }, this.scene.word(id)));
    this.chooser.append(element("option", { value: "" }, "nothing"), flows, nodes);
    this.chooser.addEventListener("change", () => {
      const [of, id] = this.chooser.value.split(" ");
      this.choose(of === "flow" || of === "node" ? { of, id: Number(id) } : null);
    });
  }

  private listen(app: HTMLElement): void {
    for (const lane of this.lanes) this.listenTo(lane);
    app.addEventListener("keydown", (event) => this.key(event));
  }

  private listenTo(lane: Lane): void {
    const { canvas } = lane;
    const { camera } = lane.picture.view;
    const place = (event: MouseEvent): [number, number] => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    canvas.addEventListener("pointerleave", () => {
      this.hovered = null;
      this.stale = true;
    });
    let drag: { x: number; y: number; moved: boolean } | null = null;
    canvas.addEventListener("pointerdown", (event) => {
      drag = { x: event.clientX, y: event.clientY, moved: false };
      if (camera.enlarged) canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!drag) {
        const target = lane.picture.under(...place(event));
        this.hovered = target && { lane, target };
        this.stale = true;
        return;
      }
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
      const target = lane.picture.under(...place(event));
      this.pinned = target?.of === "frame" ? { lane, target } : null;
      if (this.pinned) this.clock.pause();
      const choice = this.pinned ? null : lane.picture.at(...place(event));
      if (choice) this.choose(choice);
      this.stale = true;
    });
    canvas.addEventListener("pointercancel", () => (drag = null));
    // Without Ctrl, the wheel scrolls the page.
    canvas.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey) return;
        event.preventDefault();
        camera.enlarge(event.deltaY < 0 ? 1.2 : 1 / 1.2, ...place(event));
        canvas.classList.toggle("v-movable", camera.enlarged);
        this.stale = true;
      },
      { passive: false },
    );
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
      Escape: () => {
        if (this.isLecture && !this.pinned) this.lecture(false);
        else if (!this.pinned) this.choose(null);
        this.pinned = null;
      },
      l: () => this.lecture(!this.isLecture),
      g: () => this.record(),
      p: () => this.still("png"),
      s: () => this.still("svg"),
      c: () => this.jump("collision", 1),
      d: () => this.jump("drop", 1),
      t: () => this.jump("timeout", 1),
      C: () => this.jump("collision", -1),
      D: () => this.jump("drop", -1),
      T: () => this.jump("timeout", -1),
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
  ["c d t", "next collision, drop, timeout (Shift: previous)"],
  ["l", "lecture mode"],
  ["g", "record a video"],
  ["p s", "save a picture: PNG, SVG"],
];

/** What the pointer is at, or a click has pinned. */
type Pointed = { lane: Lane; target: NonNullable<Target> } | null;
