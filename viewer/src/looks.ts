// How things look: the colors of Okabe and Ito, and beside each color a dash and a mark, so that color is never alone.

export type Mark = "triangle" | "wedge" | "dot" | "square" | "circle" | "diamond" | "cross" | "ring";

export interface Look {
  /** In the legend. */
  label: string;
  color: string;
  dash: number[];
  width: number;
  mark: Mark;
}

/** What a legend switches: several kinds of frames share a look. */
export const LOOKS = {
  rts: { label: "RTS", color: "#0072b2", dash: [2, 3], width: 1.6, mark: "triangle" },
  cts: { label: "CTS", color: "#007a5a", dash: [6, 3], width: 1.6, mark: "wedge" },
  data: { label: "data", color: "#d55e00", dash: [], width: 3, mark: "square" },
  feedback: { label: "acknowledgment of transport", color: "#b8860b", dash: [], width: 2.2, mark: "circle" },
  mac_ack: { label: "ACK of the MAC", color: "#56b4e9", dash: [], width: 1.3, mark: "dot" },
  routing: { label: "routing", color: "#cc79a7", dash: [8, 3, 2, 3], width: 1.8, mark: "diamond" },
  arp: { label: "ARP", color: "#6a737d", dash: [1, 3], width: 1.5, mark: "ring" },
} satisfies Record<string, Look>;

export type LookName = keyof typeof LOOKS;

const KINDS: Record<string, LookName> = {
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

/** The look of a kind of frame; what is nothing else belongs to routing. */
export function lookOf(kind: string): LookName {
  return KINDS[kind] ?? "routing";
}

/** Looks of flows: the report's own inks. */
export const INKS: { color: string; dash: number[] }[] = [
  { color: "#0072b2", dash: [] },
  { color: "#d55e00", dash: [14, 5] },
  { color: "#009e73", dash: [5, 5] },
  { color: "#cc79a7", dash: [14, 4, 3, 4] },
  { color: "#e69f00", dash: [9, 3, 2, 3, 2, 3] },
  { color: "#56b4e9", dash: [20, 7] },
  { color: "#000000", dash: [2, 3] },
];

export function inkOf(flow: number): { color: string; dash: number[] } {
  return INKS[flow % INKS.length];
}

/** What stands around the network: taken from the page, so that it follows its colors. */
export interface Paper {
  ink: string;
  soft: string;
  line: string;
  paper: string;
  wash: string;
}

export const WARNING = "#c1440e";
