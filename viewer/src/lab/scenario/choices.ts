// Radios and movements of the controls, as edits of the scenario file.
import { replaceTables, setKey } from "./toml.ts";

export interface Radio {
  title: string;
  /** `radio.standard`. */
  standard: string;
  /** `mac.data_rate`, of standards whose modes are rates. */
  rate?: string;
  /** `mac.mcs`, of the others. */
  mcs?: number;
  /** Bytes of an A-MPDU, of a radio with MCS; without: single frames. */
  ampdu?: number;
}

const AMPDU_BYTES = 65535;
/** The standard of a file that names none. */
const USUAL = "11b";

export const RADIOS: Radio[] = [
  ...["1 Mb/s", "2 Mb/s", "5.5 Mb/s", "11 Mb/s"].map((rate): Radio => ({ title: `802.11b, ${rate}`, standard: USUAL, rate })),
  ...["6 Mb/s", "24 Mb/s", "54 Mb/s"].map((rate): Radio => ({ title: `802.11a, ${rate}`, standard: "11a", rate })),
  { title: "802.11n, MCS 4", standard: "11n", mcs: 4 },
  { title: "802.11n, MCS 4, A-MPDU", standard: "11n", mcs: 4, ampdu: AMPDU_BYTES },
];

/** The file with a radio: OFDM needs the profile that sums interference. */
export function withRadio(text: string, { standard, rate, mcs, ampdu }: Radio): string {
  const isUsual = standard === USUAL;
  const had = /^\s*standard\s*=/m.test(text);
  if (!isUsual || had) text = setKey(text, "", "profile", isUsual ? null : '"std"');
  if (!isUsual || had) text = setKey(text, "radio", "standard", isUsual ? null : `"${standard}"`);
  text = setKey(text, "mac", "data_rate", rate === undefined ? null : `"${rate}"`);
  text = setKey(text, "mac", "mcs", mcs === undefined ? null : String(mcs));
  return setKey(text, "mac", "ampdu", mcs === undefined ? null : `"${ampdu ?? 0} B"`);
}

/** The radio of a resolved scenario, by its place in `RADIOS`; -1: another. */
export function radioOf(scenario: Record<string, unknown>): number {
  const { standard = USUAL } = scenario["radio"] as { standard?: string };
  const mac = scenario["mac"] as { data_rate_bps: number; mcs?: number; ampdu?: number };
  const rate = mac.mcs === undefined ? `${mac.data_rate_bps / 1e6} Mb/s` : undefined;
  return RADIOS.findIndex(
    (radio) => radio.standard === standard && radio.rate === rate && radio.mcs === mac.mcs && (radio.ampdu ?? 0) === (mac.ampdu ?? 0),
  );
}

export interface Movement {
  name: string;
  title: string;
  /** Slowest and fastest, in m/s. */
  speeds: [number, number];
}

export const MOVEMENTS: Movement[] = [
  { name: "walk", title: "random waypoint, 1 to 2 m/s", speeds: [1, 2] },
  { name: "drive", title: "random waypoint, 10 to 20 m/s", speeds: [10, 20] },
];
const LEAST_M = 300;

/** The file with nodes that move from where they are; paths are then found by AODV. No movement: they stay. */
export function withMovement(text: string, movement: Movement | undefined, positions: [number, number][]): string {
  if (!movement) return replaceTables(text, ["mobility"], "");
  const [slow, fast] = movement.speeds;
  const side = (axis: 0 | 1) => Math.max(...positions.map((place) => Math.ceil(place[axis])), LEAST_M);
  const table = `[mobility]\nkind = "waypoint"\ninit = "topology"\narea = ["${side(0)} m", "${side(1)} m"]\nmin_speed = "${slow} m/s"\nmax_speed = "${fast} m/s"\n`;
  return setKey(replaceTables(text, ["mobility"], table), "routing", "protocol", '"aodv"');
}

/** Name of the movement of a resolved scenario; undefined: another. */
export function movementOf(scenario: Record<string, unknown>): string | undefined {
  const mobility = scenario["mobility"] as { kind: string; max_speed_mps?: number } | undefined;
  if (!mobility) return "none";
  return MOVEMENTS.find(({ speeds }) => mobility.kind === "waypoint" && speeds[1] === mobility.max_speed_mps)?.name;
}
