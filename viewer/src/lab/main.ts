// Entry point of the laboratory: joins map, controls, text and results.
import { element, setText } from "../panels/dom.ts";
import { inflate } from "../data/columns.ts";
import { Scene } from "../data/scene.ts";
import { Viewer } from "../viewer.ts";
import { Client } from "./client.ts";
import type { Failure, Watched } from "./client.ts";
import { commandOf, variantsOf } from "./scenario/compare.ts";
import type { Resolved } from "./engine.ts";
import { Form } from "./form.ts";
import { LESSONS } from "./scenario/lessons.ts";
import { fromFragment, toFragment } from "./scenario/link.ts";
import type { Settings } from "./scenario/link.ts";
import { NetworkMap, isMeasured } from "./map.ts";
import { Results } from "./results.ts";
import type { Report, Variant } from "./worker.ts";

/** Pause in typing after which the engine reads the text. */
const TYPING_MS = 250;

/** The lesson that a page without a link shows. */
const FIRST = 2;

const find = <T extends Element>(id: string) => document.getElementById(id) as unknown as T;

class Laboratory {
  private readonly text = find<HTMLTextAreaElement>("toml");
  private readonly problems = find<HTMLElement>("problems");
  private readonly state = find<HTMLElement>("state");
  private readonly progress = find<HTMLProgressElement>("progress");
  private readonly runButton = find<HTMLButtonElement>("run");
  private readonly stopButton = find<HTMLButtonElement>("stop");
  private readonly variant = find<HTMLSelectElement>("variant");
  private readonly seed = find<HTMLInputElement>("seed");
  private readonly form = new Form(find("form"), () => this.changed());
  private readonly results = new Results(find("goodput"), find("airtime"));
  private readonly map = new NetworkMap(find("map"), (positions) => {
    if (!this.resolved) return;
    this.form.place(positions, this.resolved);
    this.changed();
  });
  private resolved: Resolved | null = null;
  private typing = 0;
  private work = 0;
  private change = 0;
  /** The last run that was watched, and its animation: what tests read. */
  watched: Report | null = null;
  viewer: Viewer | null = null;

  constructor(private readonly client: Client) {
    this.text.addEventListener("input", () => {
      this.form.settings.text = this.text.value;
      clearTimeout(this.typing);
      this.typing = window.setTimeout(() => this.read(), TYPING_MS);
    });
    this.runButton.addEventListener("click", () => this.run());
    this.stopButton.addEventListener("click", () => client.stop());
    find("watch").addEventListener("click", () => this.watch());
    find("download").addEventListener("click", () => this.download());
    find("share").addEventListener("click", () => void this.share());
    LESSONS.forEach(({ title, text, settings, watch }) => {
      const button = element("button", { type: "button", "aria-pressed": "false" }, title);
      button.addEventListener("click", () => {
        this.open(settings, watch);
        setText(find("lesson"), text);
        button.setAttribute("aria-pressed", "true");
        this.run();
      });
      find("lessons").append(button);
    });
    window.addEventListener("resize", () => this.resolved && this.map.show(this.resolved));
  }

  /** Begins with the settings in the address, or with the first lesson. */
  async begin(): Promise<void> {
    const fragment = location.hash.slice(1);
    this.form.offer(await this.client.ready());
    try {
      if (fragment === "") throw new Error("");
      this.open(await fromFragment(fragment));
    } catch {
      this.open(LESSONS[FIRST].settings, LESSONS[FIRST].watch);
      setText(find("lesson"), fragment === "" ? LESSONS[FIRST].text : "The link is damaged: it holds no scenario. Shown is a lesson; copy the link again.");
    }
    this.run();
  }

  /** Shows settings; `watch` is the variant that an animation is offered of. */
  open(settings: Settings, watch = 0): void {
    this.form.settings = { ...settings };
    setText(find("lesson"), "");
    for (const button of document.querySelectorAll("#lessons button")) button.setAttribute("aria-pressed", "false");
    this.changed();
    this.variant.selectedIndex = watch;
  }

  /** A control has changed the settings. */
  private changed(): void {
    this.text.value = this.form.settings.text;
    this.form.show();
    this.read();
  }

  /** Lets the engine read the text. */
  private read(): void {
    const { settings } = this.form;
    setText(find("command"), commandOf(settings.compare, settings.transports, settings.seeds));
    this.offer(this.variants().map(({ label }) => label));
    void this.address();
    this.client.check(
      settings.text,
      (resolved) => {
        this.resolved = resolved;
        this.problems.hidden = true;
        this.form.showResolved(resolved);
        this.map.show(resolved);
        find("warnings").replaceChildren(...resolved.warnings.map((warning) => element("li", {}, warning)));
        const { rx_range_m: reach, cs_range_m: sensed } = resolved.facts;
        setText(find("ranges"), isMeasured(resolved) ? "Measured links do not move." : `Reception range ${reach.toFixed(0)} m, carrier-sense range ${sensed.toFixed(0)} m.`);
      },
      (failure) => this.fail(failure),
    );
  }

  /** Puts the settings into the address, unless newer ones are on their way there. */
  private async address(): Promise<void> {
    const change = (this.change += 1);
    const fragment = await toFragment(this.form.settings);
    if (this.change === change) history.replaceState(null, "", `#${fragment}`);
  }

  /** Offers animations of these variants; the choice stays while they do. */
  private offer(labels: string[]): void {
    if ([...this.variant.options].map((option) => option.text).join() === labels.join()) return;
    this.variant.replaceChildren(...labels.map((label, i) => element("option", { value: i }, label)));
  }

  /** What is compared. */
  variants(): Variant[] {
    const { settings } = this.form;
    return variantsOf(settings.compare, settings.transports);
  }

  run(): void {
    const { settings } = this.form;
    const variants = this.variants();
    const count = variants.length * settings.seeds;
    this.results.begin(variants);
    this.forget();
    const isLast = this.busy("Running …");
    let done = 0;
    let events = 0;
    const began = performance.now();
    this.client.runs(settings.text, variants, settings.seeds, {
      run: (result) => {
        if (!isLast()) return;
        done += 1;
        events += result.report.events;
        this.progress.value = done / count;
        this.results.add(result);
        if (result.variant === this.variant.selectedIndex && result.seed === 1) this.results.showAirtime(`${variants[result.variant].label}, seed 1`, result.report);
        setText(this.state, `${done} of ${count} runs`);
      },
      progress: (share) => isLast() && (this.progress.value = (done + share) / count),
      done: (stopped) => {
        if (!isLast()) return;
        const s = (performance.now() - began) / 1000;
        this.idle(`${stopped ? "Stopped: " : ""}${done} ${done === 1 ? "run" : "runs"}, ${events.toLocaleString("en")} events in ${s.toFixed(1)} s`);
      },
      failed: (failure) => this.fail(failure),
    });
  }

  watch(): void {
    const { settings } = this.form;
    const variant = this.variants()[this.variant.selectedIndex];
    const isLast = this.busy("Running …");
    this.client.watch(settings.text, variant, Math.max(Math.trunc(Number(this.seed.value)) || 1, 1), {
      progress: (share) => isLast() && (this.progress.value = share),
      scene: (watched) => this.show(variant.label, watched),
      done: (stopped) => isLast() && this.idle(stopped ? "Stopped" : "Animation below"),
      failed: (failure) => this.fail(failure),
    });
  }

  /** Takes away the run that was watched: other runs follow. */
  private forget(): void {
    this.watched = null;
    this.viewer = null;
    for (const id of ["fingerprint", "sentences", "airtime", "panel"]) find(id).replaceChildren();
  }

  private show(label: string, { scene, report, sentences }: Watched): void {
    this.watched = report;
    this.results.showAirtime(`${label}, seed ${scene.data.seed}`, report);
    const part = scene.data.end_s < scene.data.run_s ? `; the animation has its first ${scene.data.end_s.toFixed(1)} s` : "";
    setText(find("fingerprint"), `${label}, seed ${scene.data.seed}: ${report.events.toLocaleString("en")} events, fingerprint ${report.fingerprint}${part}`);
    find("sentences").replaceChildren(...sentences.map((sentence) => element("li", {}, sentence)));
    this.viewer = new Viewer(find("panel"), new Scene(scene.data, scene.tables), null);
  }

  /** Work begins; the answer is whether it is still the last that was asked for. */
  private busy(text: string): () => boolean {
    const work = (this.work += 1);
    this.stopButton.disabled = false;
    this.progress.value = 0;
    setText(this.state, text);
    return () => this.work === work;
  }

  private idle(text: string): void {
    this.stopButton.disabled = true;
    setText(this.state, text);
  }

  private fail({ message }: Failure): void {
    this.problems.hidden = false;
    setText(this.problems, message);
    this.idle("The scenario has a problem, see its message");
  }

  private download(): void {
    const link = element("a", { download: "lab.toml", href: URL.createObjectURL(new Blob([this.form.settings.text], { type: "application/toml" })) });
    link.click();
    URL.revokeObjectURL(link.href);
  }

  private async share(): Promise<void> {
    await this.address();
    const copied = await navigator.clipboard?.writeText(location.href).then(
      () => true,
      () => false,
    );
    setText(find("shared"), copied ? "Copied" : "The address above is the link");
  }
}

async function start(): Promise<void> {
  const packed = find<HTMLElement>("wasm").textContent ?? "";
  const source = find<HTMLElement>("worker").textContent ?? "";
  try {
    const client = new Client(source, (await inflate(packed)).buffer as ArrayBuffer);
    const laboratory = new Laboratory(client);
    (window as unknown as { hoplabLab: Laboratory }).hoplabLab = laboratory;
    await laboratory.begin();
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    setText(find("state"), `This browser cannot run the engine: ${what}. Chrome 103, Firefox 113 and Safari 16.4 or newer can`);
  }
}

void start();
