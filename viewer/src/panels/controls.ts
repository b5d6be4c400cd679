// Playback controls: buttons, slider, speed and zoom.
import { SPEEDS, shownTime } from "../clock.ts";
import type { Clock } from "../clock.ts";
import { element, setText } from "./dom.ts";

export interface Commands {
  toggle: () => void;
  seek: (t: number) => void;
  frame: (by: 1 | -1) => void;
  speed: (speed: number) => void;
  zoom: (factor: number) => void;
}

export class Controls {
  readonly bar: HTMLElement;
  readonly zoom: HTMLElement;
  private readonly play: HTMLButtonElement;
  private readonly slider: HTMLInputElement;
  private readonly time = element("output", { class: "v-time", "aria-live": "off" });
  private readonly speed: HTMLSelectElement;

  constructor(
    private readonly clock: Clock,
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
    const speed = element("label", { class: "v-speed" }, "speed ", this.speed);
    this.bar = element("div", { class: "v-controls", role: "group", "aria-label": "Playback" }, this.play, back, ahead, this.time, speed, this.slider);
    this.update();
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
