// What is compared: variants of a scenario, and the command that executes the same runs on a machine.
import type { Variant } from "../worker.ts";

export type Compare = "nothing" | "transports" | "rts" | "hops" | "metric";

/** Longer than any frame: no RTS. */
export const NO_RTS = "3000 B";
const HOPS = [1, 2, 3, 4, 5, 6, 7, 8];
const METRICS = ["hops", "etx"];

export function variantsOf(compare: Compare, transports: string[]): Variant[] {
  switch (compare) {
    case "transports":
      return transports.map((name) => ({ label: name, overrides: [["flow.transport", name]] }));
    case "rts":
      return [
        { label: "RTS and CTS", overrides: [["mac.rts_threshold", "0 B"]] },
        { label: "no RTS", overrides: [["mac.rts_threshold", NO_RTS]] },
      ];
    case "hops":
      return HOPS.map((hops) => ({ label: `${hops} ${hops === 1 ? "hop" : "hops"}`, overrides: [["topology.hops", String(hops)]] }));
    case "metric":
      return METRICS.map((metric) => ({ label: `paths by ${metric}`, overrides: [["routing.metric", metric]] }));
    case "nothing":
      return [{ label: "as in the file", overrides: [] }];
  }
}

export function commandOf(compare: Compare, transports: string[], seeds: number): string {
  switch (compare) {
    case "transports":
      return `hoplab compare lab.toml --transports ${transports.join(",")} --seeds ${seeds}`;
    case "rts":
      return `hoplab sweep lab.toml --over "mac.rts_threshold=0 B,${NO_RTS}" --seeds ${seeds} --out rts`;
    case "hops":
      return `hoplab sweep lab.toml --over topology.hops=${HOPS.join(",")} --seeds ${seeds} --out hops`;
    case "metric":
      return `hoplab sweep lab.toml --over routing.metric=${METRICS.join(",")} --seeds ${seeds} --out metric`;
    case "nothing":
      return `hoplab run lab.toml --seeds ${seeds}`;
  }
}
