// Lessons: a scenario each, what to compare, and what to look for.
import { PRESETS } from "./topologies.ts";
import type { Settings } from "./link.ts";

export interface Lesson {
  title: string;
  text: string;
  settings: Settings;
  /** The variant that is worth watching. */
  watch: number;
}

const preset = (name: string, size = 1, transport = "new_reno") => PRESETS.find((one) => one.name === name)!.tables(size, transport);

export const LESSONS: Lesson[] = [
  {
    title: "Hidden terminals",
    text: "Nodes 0 and 2 cannot sense each other, and both send to node 1. Without RTS their data frames collide there; with RTS only short frames do. Watch “no RTS” frame by frame, then drag node 2 closer until both sense each other.",
    watch: 1,
    settings: {
      text: `name = "hidden"\nduration = "10 s"\n\n${preset("hidden").replaceAll("240", "200").replaceAll("480", "400")}\n[radio]\ncs_range = "260 m"\n`,
      compare: "rts",
      transports: ["udp"],
      seeds: 5,
    },
  },
  {
    title: "Exposed terminals",
    text: "Nodes 0 and 2 send away from each other: their frames would not collide at nodes 1 and 3, yet each defers to the other, and both share one channel. Drag nodes 2 and 3 to the right, beyond carrier-sense range (550 m): goodput doubles.",
    watch: 0,
    settings: { text: `name = "exposed"\nduration = "10 s"\n\n${preset("exposed")}`, compare: "nothing", transports: ["udp"], seeds: 5 },
  },
  {
    title: "TCP halves per hop",
    text: "One TCP flow over 1 to 8 hops. A relay cannot receive while it sends, so two hops carry half of one, and three a third. From four hops on nodes 0 and 3 can send at once, but node 3 is hidden from node 0, and collisions take the gain.",
    watch: 3,
    settings: { text: `name = "halves"\nduration = "10 s"\n\n${preset("chain", 4)}`, compare: "hops", transports: ["new_reno"], seeds: 5 },
  },
  {
    title: "Fairness on a chain",
    text: "Four flows leave node 0, over 4, 3, 2 and 1 hops. The longer its path, the less a flow gets; over four hops it may starve. Compare the goodput of each flow: does a transport share more evenly?",
    watch: 0,
    settings: { text: `name = "fairness"\nduration = "20 s"\n\n${preset("gateway", 4)}`, compare: "transports", transports: ["new_reno", "vegas", "tcp_ap"], seeds: 5 },
  },
  {
    title: "Semi-TCP: RTSC and CTSC",
    text: "Semi-TCP has no congestion window. A congested node says so in the RTS and CTS that it sends anyway (RTSC, CTSC), and its neighbor parks its packet until there is room. Watch Semi-TCP: an outlined C marks these frames.",
    watch: 1,
    settings: {
      text: `name = "semi_tcp"\nduration = "20 s"\n\n[routing]\nprotocol = "aodv"\n\n[mac]\nssrl = 9\n\n${preset("chain", 7).trimEnd()}\nsegment = 512\n`,
      compare: "transports",
      transports: ["new_reno", "semi_tcp"],
      seeds: 5,
    },
  },
  {
    title: "Which path? Hops or ETX",
    text: "Ten roofs with a delivery ratio for each link; school sends to mill. Counted by hops, one path of two hops is as good as another, and weak links repeat frame after frame. ETX counts expected transmissions and takes better links, if need be more of them. Watch both, and read where packets are lost.",
    watch: 1,
    settings: { text: `name = "roofs"\nduration = "20 s"\n\n${preset("measured")}`, compare: "metric", transports: ["new_reno"], seeds: 5 },
  },
  {
    title: "Nodes that move",
    text: "A mesh whose nodes drive at 10 to 20 m/s; AODV finds new paths, while TCP waits for a timeout after each break. Compare a transport that stands by while there is no route (ELFN), and look for the drops of link failures below.",
    watch: 0,
    settings: {
      text: `name = "moving"\nduration = "30 s"\n\n[routing]\nprotocol = "aodv"\n\n${preset("mesh", 4)}\n[mobility]\nkind = "waypoint"\ninit = "topology"\narea = ["600 m", "600 m"]\nmin_speed = "10 m/s"\nmax_speed = "20 m/s"\n`,
      compare: "transports",
      transports: ["new_reno", "elfn", "sack"],
      seeds: 5,
    },
  },
];
