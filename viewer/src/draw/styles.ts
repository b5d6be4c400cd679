// Styles of frames and flows: the palette of Okabe and Ito; each color has a dash pattern and a mark of its own.
import { BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION } from "./colors.ts";

export type Mark = "triangle" | "wedge" | "dot" | "square" | "circle" | "diamond" | "cross" | "ring";

export interface Style {
  /** In the legend. */
  label: string;
  color: string;
  dash: number[];
  width: number;
  mark: Mark;
}

/** Styles, each switched by one entry of the legend; several frame types share one. */
export const STYLES = {
  rts: { label: "RTS", color: BLUE, dash: [2, 3], width: 1.6, mark: "triangle" },
  cts: { label: "CTS", color: "#007a5a", dash: [6, 3], width: 1.6, mark: "wedge" },
  data: { label: "data", color: VERMILION, dash: [], width: 3, mark: "square" },
  feedback: { label: "transport acknowledgment", color: "#b8860b", dash: [], width: 2.2, mark: "circle" },
  mac_ack: { label: "MAC ACK", color: SKY, dash: [], width: 1.3, mark: "dot" },
  routing: { label: "routing", color: PURPLE, dash: [8, 3, 2, 3], width: 1.8, mark: "diamond" },
  arp: { label: "ARP", color: "#6a737d", dash: [1, 3], width: 1.5, mark: "ring" },
} satisfies Record<string, Style>;

export type StyleName = keyof typeof STYLES;

const KINDS: Record<string, StyleName> = {
  rts: "rts",
  cts: "cts",
  mac_ack: "mac_ack",
  segment: "data",
  datagram: "data",
  ack: "feedback",
  lack: "feedback",
  arp_request: "arp",
  arp_reply: "arp",
};

/** Style of a frame type; types not listed are routing messages. */
export function styleOf(kind: string): StyleName {
  return KINDS[kind] ?? "routing";
}

/** Marks of access categories; frames of best effort have none. */
export const CATEGORY_MARKS: Record<string, string> = { background: "BK", video: "VI", voice: "VO" };

/** Dashes of the line beside a frame that shows its channel, by the channel's index. */
const CHANNEL_DASHES = [[], [2, 3], [9, 4], [9, 3, 2, 3], [4, 8], [1, 6]];

export function channelDash(index: number): number[] {
  return CHANNEL_DASHES[index % CHANNEL_DASHES.length];
}

/** Styles of flows, as in the figures of the report. */
export const INKS: { color: string; dash: number[] }[] = [
  { color: BLUE, dash: [] },
  { color: VERMILION, dash: [14, 5] },
  { color: GREEN, dash: [5, 5] },
  { color: PURPLE, dash: [14, 4, 3, 4] },
  { color: ORANGE, dash: [9, 3, 2, 3, 2, 3] },
  { color: SKY, dash: [20, 7] },
  { color: BLACK, dash: [2, 3] },
];

export function inkOf(flow: number): { color: string; dash: number[] } {
  return INKS[flow % INKS.length];
}

/** Colors of labels and background, read from the page. */
export interface Paper {
  ink: string;
  soft: string;
  line: string;
  paper: string;
  wash: string;
}

export const WARNING = "#c1440e";
