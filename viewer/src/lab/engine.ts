// The engine as a WebAssembly module: requests and answers of crates/hoplab-wasm, for a page's worker and for Node.

export interface Request {
  text: string;
  /** Name of the scenario in messages. */
  path: string;
  overrides?: [string, string][];
  seed?: number;
  max_events?: number;
  /** Interval of samples; with it the run keeps its log. */
  interval_s?: number;
  airtime?: boolean;
}

export interface Problem {
  line: number | null;
  key: string;
  message: string;
}

export interface Resolved {
  scenario: Record<string, unknown>;
  flow_tables: Record<string, unknown>[];
  warnings: string[];
  facts: { rx_range_m: number; cs_range_m: number; flows: { id: number; hops: number | null }[] };
  /** Pairs of nodes that receive each other at the start. */
  links: [number, number][];
  positions: [number, number][];
}

/** A transport that scenarios can name. */
export interface Transport {
  name: string;
  title: string;
  summary: string;
  group: string;
  /** The feature of builds that have it, if it is a library's. */
  feature?: string;
}

export interface Progress {
  done: boolean;
  t_s: number;
  events: number;
}

/** Names of the columns of rows, and of the codes in them. */
export interface Names {
  columns: string[];
  events: string[];
  frames: string[];
  packets: string[];
  reasons: string[];
}

export interface Recording {
  trajectories: { start: [number, number]; legs: [number, number, number, number, number, number][] }[];
  samples: [number, string, number | null, number | null, number][];
}

/** What the engine refuses, in its own words. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly problems: Problem[],
  ) {
    super(message);
  }
}

interface Exports {
  memory: WebAssembly.Memory;
  lab_input(length: number): number;
  lab_output(): number;
  lab_output_length(): number;
  lab_registry(): number;
  lab_resolve(): number;
  lab_start(): number;
  lab_advance(events: number): number;
  lab_report(): number;
  lab_rows(): number;
  lab_names(): number;
  lab_recording(): number;
}

type Call = Exclude<keyof Exports, "memory" | "lab_input">;

/** Statuses of crates/hoplab-wasm/src/lib.rs. */
const DONE = 1;
const FAILED = 2;

export class Engine {
  private constructor(private readonly exports: Exports) {}

  static async load(module: WebAssembly.Module): Promise<Engine> {
    const instance = await WebAssembly.instantiate(module, {});
    return new Engine(instance.exports as unknown as Exports);
  }

  /** The transports that this module has, in the order of documentation. */
  transports(): Transport[] {
    this.call("lab_registry");
    const { transports } = JSON.parse(this.text()) as { transports: Transport[] };
    return transports.filter(({ feature }) => feature === undefined);
  }

  /** Checks a scenario without a run. */
  resolve(request: Request): Resolved {
    this.ask(request);
    this.call("lab_resolve");
    return JSON.parse(this.text()) as Resolved;
  }

  /** Begins a run, in place of the one before. */
  start(request: Request): { end_s: number } {
    this.ask(request);
    this.call("lab_start");
    return JSON.parse(this.text()) as { end_s: number };
  }

  /** Handles about so many events. */
  advance(events: number): Progress {
    const done = this.call("lab_advance", events) === DONE;
    return { done, ...(JSON.parse(this.text()) as { t_s: number; events: number }) };
  }

  /** The report of the run, as the native engine writes it. */
  report(): string {
    this.call("lab_report");
    return this.text();
  }

  /** Names of the codes in rows so far. */
  names(): Names {
    this.call("lab_names");
    return JSON.parse(this.text()) as Names;
  }

  /** Rows of the log since the last call, a number for each of `Names.columns`. */
  rows(): Float64Array {
    this.call("lab_rows");
    return new Float64Array(this.bytes().slice().buffer);
  }

  recording(): Recording {
    this.call("lab_recording");
    return JSON.parse(this.text()) as Recording;
  }

  private ask(request: Request): void {
    const bytes = new TextEncoder().encode(JSON.stringify(request));
    const at = this.exports.lab_input(bytes.length);
    new Uint8Array(this.exports.memory.buffer, at, bytes.length).set(bytes);
  }

  private call(name: Call, argument = 0): number {
    let status: number;
    try {
      status = this.exports[name](argument);
    } catch (error) {
      // A panic has written its message and trapped; a lack of memory or stack has not.
      throw new Error(`${this.text() || "the engine stopped"} (${String(error)})`);
    }
    if (status !== FAILED) return status;
    const { error, problems } = JSON.parse(this.text()) as { error: string; problems: Problem[] };
    throw new Refusal(error, problems);
  }

  private bytes(): Uint8Array {
    return new Uint8Array(this.exports.memory.buffer, this.exports.lab_output(), this.exports.lab_output_length());
  }

  private text(): string {
    return new TextDecoder().decode(this.bytes());
  }
}
