// Playback controls: buttons, slider, speed and zoom.
import { SPEEDS, shownTime } from "../clock.ts";
import type { Clock } from "../clock.ts";
import type { Incident } from "../data/incidents.ts";
import { element, setText } from "./dom.ts";

export interface Commands {
  toggle: () => void;
  seek: (t: number) => void;
  frame: (by: 1 | -1) => void;
  speed: (speed: number) => void;
  zoom: (factor: number) => void;
  jump: (to: Incident, by: 1 | -1) => void;
  lecture: () => void;
  record: () => void;
  still: (kind: "png" | "svg") => void;
}

export class Controls {
  readonly bar: HTMLElement;
  readonly zoom: HTMLElement;
  private readonly play: HTMLButtonElement;
  private readonly lecture: HTMLButtonElement;
  private readonly record: HTMLButtonElement;
  private readonly slider: HTMLInputElement;
  private readonly time = element("output", { class: "v-time", "aria-live": "off" });
  private readonly speed: HTMLSelectElement;

  constructor(
    private readonly clock: Clock,
    counts: Record<Incident, number>,
    commands: Commands,
  ) {
    this.play = key("\u25b6 Play", "Play or pause (space)", commands.toggle);
    this.play.classList.add("v-play");
    const back = key("\u2039 frame", "Previous frame (comma)", () => commands.frame(-1));
    const ahead = key("frame \u203a", "Next frame (period)", () => commands.frame(1));
    this.slider = element("input", {
      type: "range",
      min: clock.begin,
      max: clock.end,
      step: "any",
      "aria-label": "Simulated time",
      class: "v-slider",
    });
    this.slider.addEventListener("input", () => commands.seek(Number(this.slider.value)));
    this.speed = element("select", { "aria-label": "Speed" });
    for (const speed of SPEEDS) this.speed.append(element("option", { value: speed }, speedLabel(speed)));
    this.speed.addEventListener("change", () => commands.speed(Number(this.speed.value)));
    this.zoom = element(
      "span",
      { class: "v-zoom", role: "group", "aria-label": "Zoom" },
      key("+", "Zoom in (plus)", () => commands.zoom(1.5)),
      key("\u2212", "Zoom out (minus)", () => commands.zoom(1 / 1.5)),
      key("all", "Show everything (0)", () => commands.zoom(0)),
    );
    const jumps = (["collision", "drop", "timeout"] as const).map((to) => {
      const made = key(`${to} \u203a`, `Next ${to} (${to[0]}; Shift: previous)`, () => commands.jump(to, 1));
      made.disabled = counts[to] === 0;
      return made;
    });
    this.lecture = key("lecture", "Lecture mode: full screen (l)", commands.lecture);
    this.record = key("record", "Record a WebM video while it plays (g)", commands.record);
    const stills = [
      key("png", "Save this picture as PNG (p)", () => commands.still("png")),
      key("svg", "Save this picture as SVG (s)", () => commands.still("svg")),
    ];
    const speed = element("label", { class: "v-speed" }, "speed ", this.speed);
    this.bar = element("div", { class: "v-controls", role: "group", "aria-label": "Playback" }, this.play, back, ahead, ...jumps, this.time, speed, ...stills, this.record, this.lecture, this.slider);
    this.update();
  }

  /** Shows the modes. */
  setModes(isLecture: boolean, isRecording: boolean): void {
    setText(this.lecture, isLecture ? "leave" : "lecture");
    setText(this.record, isRecording ? "save video" : "record");
    this.lecture.setAttribute("aria-pressed", String(isLecture));
    this.record.setAttribute("aria-pressed", String(isRecording));
  }

  /** Shows the state of the clock. */
  update(): void {
    const { clock } = this;
    setText(this.play, clock.running ? "\u2016 Pause" : "\u25b6 Play");
    setText(this.time, shownTime(clock.t));
    if (document.activeElement !== this.slider || clock.running) this.slider.value = String(clock.t);
    this.slider.setAttribute("aria-valuetext", `${clock.t.toFixed(3)} seconds of ${clock.end.toFixed(0)}`);
    this.speed.value = String(clock.speed);
  }
}

function key(label: string, name: string, act: () => void): HTMLButtonElement {
  const made = element("button", { type: "button", title: name, "aria-label": name }, label);
  made.addEventListener("click", act);
  return made;
}

function speedLabel(speed: number): string {
  if (speed === 1) return "real time";
  return speed < 1 ? `${Math.round(1 / speed)} times slower` : `${speed} times faster`;
}
