// The page's side of the worker: requests with answers, and streams of results.
import type { Resolved, Transport } from "./engine.ts";
import type { Answer, Order, Variant } from "./worker.ts";

export type Result = Extract<Answer, { kind: "run" }>;
export type Watched = Extract<Answer, { kind: "scene" }>;
export type Failure = Extract<Answer, { kind: "failed" }>;

interface Listener {
  run?: (result: Result) => void;
  progress?: (share: number) => unknown;
  scene?: (watched: Watched) => void;
  checked?: (resolved: Resolved) => void;
  done?: (stopped: boolean) => unknown;
  failed: (failure: Failure) => void;
}

export class Client {
  private readonly worker: Worker;
  private readonly listeners = new Map<number, Listener>();
  private count = 0;
  private readonly loaded: Promise<Transport[]>;

  constructor(source: string, module: ArrayBuffer) {
    this.worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
    this.loaded = new Promise((done, fail) => {
      this.listeners.set(0, { failed: (failure) => fail(new Error(failure.message)) });
      this.worker.addEventListener("message", (event: MessageEvent<Answer>) => {
        if (event.data.kind === "ready") done(event.data.transports);
        else this.receive(event.data);
      });
      this.worker.addEventListener("error", (event) => fail(new Error(event.message)));
    });
    this.post({ kind: "load", module }, [module]);
  }

  /** The transports of the engine, once it is loaded. */
  ready(): Promise<Transport[]> {
    return this.loaded;
  }

  check(text: string, checked: (resolved: Resolved) => void, failed: (failure: Failure) => void): void {
    const id = this.listen({ checked, failed });
    this.post({ kind: "check", id, text });
  }

  runs(text: string, variants: Variant[], seeds: number, listener: Listener): void {
    this.post({ kind: "runs", id: this.listen(listener), text, variants, seeds });
  }

  watch(text: string, variant: Variant, seed: number, listener: Listener): void {
    this.post({ kind: "watch", id: this.listen(listener), text, variant, seed });
  }

  stop(): void {
    this.post({ kind: "stop", id: (this.count += 1) });
  }

  private listen(listener: Listener): number {
    this.count += 1;
    this.listeners.set(this.count, listener);
    return this.count;
  }

  private post(order: Order, transfer: Transferable[] = []): void {
    this.worker.postMessage(order, transfer);
  }

  private receive(answer: Exclude<Answer, { kind: "ready" }>): void {
    const listener = this.listeners.get(answer.id);
    if (!listener) return;
    if (answer.kind === "run") listener.run?.(answer);
    else if (answer.kind === "progress") listener.progress?.(answer.share);
    else if (answer.kind === "scene") listener.scene?.(answer);
    else {
      this.listeners.delete(answer.id);
      if (answer.kind === "checked") listener.checked?.(answer.resolved);
      else if (answer.kind === "done") listener.done?.(answer.stopped);
      else listener.failed(answer);
    }
  }
}
