// The worker of the page: checks scenarios, executes runs in slices, and ends what a newer request replaces.
import { Engine, Refusal } from "./engine.ts";
import type { Problem, Progress, Request, Resolved, Transport } from "./engine.ts";
import { Explainer } from "./explain/explainer.ts";
import { SceneBuilder } from "./scene_data.ts";
import type { Ends, SceneData } from "./scene_data.ts";

export interface Variant {
  label: string;
  overrides: [string, string][];
}

export type Order =
  | { kind: "load"; module: BufferSource }
  | { kind: "check"; id: number; text: string }
  | { kind: "runs"; id: number; text: string; variants: Variant[]; seeds: number }
  | { kind: "watch"; id: number; text: string; variant: Variant; seed: number }
  | { kind: "stop"; id: number };

export interface Report {
  fingerprint: string;
  events: number;
  sim_s: number;
  flows: { id: number; src: number; dst: number; transport: string; goodput_bps: number; timeouts: number; retransmissions: number; workload?: number | null }[];
  airtime: Record<string, number>[];
  lost: Record<string, number>;
  drops: Record<string, number>;
}

export type Answer =
  | { kind: "ready"; transports: Transport[] }
  | { kind: "checked"; id: number; resolved: Resolved }
  | { kind: "run"; id: number; variant: number; seed: number; report: Report }
  | { kind: "progress"; id: number; share: number }
  | { kind: "scene"; id: number; scene: SceneData; report: Report; sentences: string[] }
  | { kind: "done"; id: number; stopped: boolean }
  | { kind: "failed"; id: number; message: string; problems: Problem[] };

const PATH = "lab.toml";
/** Events between two looks at the inbox: some 10 ms. */
const SLICE = 50_000;
/** A run of more events would keep a page busy for half a minute. */
const MAX_EVENTS = 50_000_000;
/** Frames that the animation holds; the part of the run beyond them is not shown. */
const MAX_FRAMES = 300_000;
const INTERVAL_S = 0.1;
const PROGRESS_MS = 100;

let module: WebAssembly.Module | null = null;
let engine: Engine | null = null;
/** The last request of each kind that may still go on. */
const current = { check: 0, work: 0 };

const post = (answer: Answer): void => (self as unknown as Worker).postMessage(answer);
const inbox = new MessageChannel();
const waiting: (() => void)[] = [];
inbox.port1.onmessage = () => waiting.shift()?.();

/** Lets messages in. A timer would wait 4 ms each time. */
function breathe(): Promise<void> {
  return new Promise((done) => {
    waiting.push(done);
    inbox.port2.postMessage(0);
  });
}

async function ready(): Promise<Engine> {
  if (!module) throw new Error("the engine is not loaded");
  return (engine ??= await Engine.load(module));
}

/** Advances a begun run to its end; false if a newer request has replaced it. */
async function advance(id: number, at: Engine, begun: { end_s: number }, each: (progress: Progress) => void): Promise<boolean> {
  for (let shown = performance.now(); ; ) {
    const progress = at.advance(SLICE);
    each(progress);
    if (progress.done) return true;
    if (performance.now() - shown > PROGRESS_MS) {
      shown = performance.now();
      post({ kind: "progress", id, share: progress.t_s / begun.end_s });
    }
    await breathe();
    if (current.work !== id) return false;
  }
}

async function runs(order: Extract<Order, { kind: "runs" }>): Promise<void> {
  const at = await ready();
  const { id, text, variants } = order;
  // Seed after seed, so that all variants have intervals early.
  for (let seed = 1; seed <= order.seeds; seed += 1)
    for (const [variant, { overrides }] of variants.entries()) {
      const begun = at.start({ text, path: PATH, overrides, seed, max_events: MAX_EVENTS, airtime: true });
      if (!(await advance(id, at, begun, () => undefined))) return post({ kind: "done", id, stopped: true });
      post({ kind: "run", id, variant, seed, report: JSON.parse(at.report()) as Report });
      await breathe();
      if (current.work !== id) return post({ kind: "done", id, stopped: true });
    }
  post({ kind: "done", id, stopped: false });
}

async function watch(order: Extract<Order, { kind: "watch" }>): Promise<void> {
  const at = await ready();
  const { id, text, seed } = order;
  const request: Request = { text, path: PATH, overrides: order.variant.overrides, seed };
  const resolved = at.resolve(request);
  const flows: Ends[] = resolved.flow_tables.map((flow) => ({ src: Number(flow["from"]), dst: Number(flow["to"]), transport: String(flow["transport"]) }));
  const builder = new SceneBuilder(flows);
  const explainer = new Explainer();
  const begun = at.start({ ...request, max_events: MAX_EVENTS, interval_s: INTERVAL_S });
  let end_s = begun.end_s;
  const ended = await advance(id, at, begun, ({ t_s }) => {
    const [rows, names] = [at.rows(), at.names()];
    explainer.read(rows, names);
    if (builder.size >= MAX_FRAMES) return;
    builder.read(rows, names);
    if (builder.size >= MAX_FRAMES) end_s = t_s;
  });
  if (!ended) return post({ kind: "done", id, stopped: true });
  const recording = at.recording();
  const report = JSON.parse(at.report()) as Report;
  const scene = builder.finish(recording, resolved, seed, end_s, begun.end_s);
  post({ kind: "scene", id, scene, report, sentences: explainer.sentences(report, recording, resolved) });
  post({ kind: "done", id, stopped: false });
}

async function act(order: Order): Promise<void> {
  if (order.kind === "load") {
    module = await WebAssembly.compile(order.module);
    return post({ kind: "ready", transports: (await ready()).transports() });
  }
  if (order.kind === "check") {
    current.check = order.id;
    await breathe();
    if (current.check !== order.id) return;
    return post({ kind: "checked", id: order.id, resolved: (await ready()).resolve({ text: order.text, path: PATH }) });
  }
  current.work = order.id;
  if (order.kind === "runs") await runs(order);
  else if (order.kind === "watch") await watch(order);
}

self.onmessage = (event: MessageEvent<Order>) => {
  act(event.data).catch((error: unknown) => {
    const problems = error instanceof Refusal ? error.problems : [];
    // After a trap, the module's memory is in no state to go on with.
    if (!(error instanceof Refusal)) engine = null;
    post({ kind: "failed", id: "id" in event.data ? event.data.id : 0, message: error instanceof Error ? error.message : String(error), problems });
  });
};
