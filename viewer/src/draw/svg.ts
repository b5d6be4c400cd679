// Writes SVG through the calls of a canvas: those that the drawing functions make, and no others.
import { STRIPES } from "./nodes.ts";

type Used =
  | "arc" | "beginPath" | "clearRect" | "closePath" | "fill" | "fillRect" | "fillStyle" | "fillText" | "font" | "globalAlpha" | "lineCap" | "lineJoin" | "lineTo"
  | "lineWidth" | "measureText" | "moveTo" | "quadraticCurveTo" | "rect" | "restore" | "save" | "setLineDash" | "stroke" | "strokeRect" | "strokeStyle" | "strokeText"
  | "textAlign" | "textBaseline";

const ANCHORS: Partial<Record<CanvasTextAlign, string>> = { center: "middle", right: "end", end: "end" };
/** Distance of the alphabetic baseline below the point of a text. */
const BASELINES: Partial<Record<CanvasTextBaseline, string>> = { top: ".8em", hanging: ".8em", middle: ".35em", bottom: "-.2em" };

export class SvgContext implements Pick<CanvasRenderingContext2D, Used> {
  fillStyle: string | CanvasGradient | CanvasPattern = "#000";
  strokeStyle: string | CanvasGradient | CanvasPattern = "#000";
  font = "10px sans-serif";
  globalAlpha = 1;
  lineCap: CanvasLineCap = "butt";
  lineJoin: CanvasLineJoin = "miter";
  lineWidth = 1;
  textAlign: CanvasTextAlign = "start";
  textBaseline: CanvasTextBaseline = "alphabetic";
  readonly elements: string[] = [];
  private dashes: number[] = [];
  private path: string[] = [];
  private readonly states: Record<string, unknown>[] = [];

  /** `measure`: a canvas, which knows the widths of texts. */
  constructor(private readonly measure: CanvasRenderingContext2D) {}

  /** The picture drawn so far is forgotten, as on a canvas that is cleared as a whole. */
  clearRect(): void {
    this.elements.length = 0;
  }

  save(): void {
    const { fillStyle, strokeStyle, font, globalAlpha, lineCap, lineJoin, lineWidth, textAlign, textBaseline, dashes } = this;
    this.states.push({ fillStyle, strokeStyle, font, globalAlpha, lineCap, lineJoin, lineWidth, textAlign, textBaseline, dashes });
  }

  restore(): void {
    Object.assign(this, this.states.pop());
  }

  setLineDash(segments: Iterable<number>): void {
    this.dashes = [...segments];
  }

  beginPath(): void {
    this.path = [];
  }

  moveTo(x: number, y: number): void {
    this.path.push(`M${at(x, y)}`);
  }

  lineTo(x: number, y: number): void {
    this.path.push(`${this.path.length > 0 ? "L" : "M"}${at(x, y)}`);
  }

  quadraticCurveTo(cx: number, cy: number, x: number, y: number): void {
    this.path.push(`Q${at(cx, cy)} ${at(x, y)}`);
  }

  /** A whole circle: no drawing function has a part of one. */
  arc(x: number, y: number, r: number): void {
    const half = `A${at(r, r)} 0 1 1 `;
    this.path.push(`M${at(x + r, y)}${half}${at(x - r, y)}${half}${at(x + r, y)}`);
  }

  rect(x: number, y: number, w: number, h: number): void {
    this.path.push(`M${at(x, y)}h${number(w)}v${number(h)}h${number(-w)}z`);
  }

  closePath(): void {
    this.path.push("z");
  }

  fill(): void {
    this.add("path", `d="${this.path.join("")}" ${this.filled()}`);
  }

  stroke(): void {
    this.add("path", `d="${this.path.join("")}" ${this.stroked()}`);
  }

  fillRect(x: number, y: number, w: number, h: number): void {
    this.add("rect", `${box(x, y, w, h)} ${this.filled()}`);
  }

  strokeRect(x: number, y: number, w: number, h: number): void {
    this.add("rect", `${box(x, y, w, h)} ${this.stroked()}`);
  }

  fillText(words: string, x: number, y: number): void {
    this.add("text", `${this.placed(x, y)} ${this.filled()}`, words);
  }

  strokeText(words: string, x: number, y: number): void {
    this.add("text", `${this.placed(x, y)} ${this.stroked()}`, words);
  }

  measureText(words: string): TextMetrics {
    this.measure.font = this.font;
    return this.measure.measureText(words);
  }

  private add(name: string, attributes: string, words = ""): void {
    const opacity = this.globalAlpha < 1 ? ` opacity="${number(this.globalAlpha)}"` : "";
    this.elements.push(`<${name} ${attributes}${opacity}>${escaped(words)}</${name}>`);
  }

  private filled(): string {
    return `fill="${inked(this.fillStyle)}"`;
  }

  private stroked(): string {
    const dashes = this.dashes.length > 0 ? ` stroke-dasharray="${this.dashes.map(number).join(" ")}"` : "";
    const ends = `stroke-linecap="${this.lineCap}" stroke-linejoin="${this.lineJoin}"`;
    return `fill="none" stroke="${inked(this.strokeStyle)}" stroke-width="${number(this.lineWidth)}" ${ends}${dashes}`;
  }

  private placed(x: number, y: number): string {
    const [anchor, below] = [ANCHORS[this.textAlign] ?? "start", BASELINES[this.textBaseline] ?? "0"];
    return `x="${number(x)}" y="${number(y)}" dy="${below}" text-anchor="${anchor}" style="font:${escaped(this.font)}"`;
  }
}

/** A drawing of a part of a still picture, and its size in px. */
export interface Panel {
  title: string;
  elements: string[];
  width: number;
  height: number;
}

const HEAD = 36;

/** A color, or the only pattern that is drawn with. */
function inked(style: string | CanvasGradient | CanvasPattern): string {
  return typeof style === "string" ? escaped(style) : "url(#stripes)";
}

function stripes(): string {
  const { tile, color, width } = STRIPES;
  const lines = [-tile, 0, tile].map((shift) => `M${at(shift, tile)}L${at(shift + tile, 0)}`).join("");
  const size = `width="${tile}" height="${tile}" patternUnits="userSpaceOnUse"`;
  return `<defs><pattern id="stripes" ${size}><path d="${lines}" stroke="${color}" stroke-width="${width}"/></pattern></defs>`;
}

/** Panels side by side below their titles, as a file. */
export function still(panels: Panel[], ink: string, paper: string): string {
  const [width, height] = [panels.reduce((sum, one) => sum + one.width, 0), HEAD + Math.max(...panels.map((one) => one.height))];
  const size = `width="${number(width)}" height="${number(height)}"`;
  const parts = [`<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 ${number(width)} ${number(height)}">`, stripes(), `<rect ${size} fill="${escaped(paper)}"/>`];
  let x = 0;
  for (const panel of panels) {
    parts.push(`<text x="${number(x + 12)}" y="25" fill="${escaped(ink)}" style="font:600 16px system-ui, sans-serif">${escaped(panel.title)}</text>`);
    // A view of its own cuts what lies outside of the panel, as a canvas does.
    parts.push(`<svg x="${number(x)}" y="${HEAD}" width="${number(panel.width)}" height="${number(panel.height)}">`, ...panel.elements, "</svg>");
    x += panel.width;
  }
  return [...parts, "</svg>", ""].join("\n");
}

function number(value: number): string {
  return String(Math.round(value * 100) / 100);
}

function at(x: number, y: number): string {
  return `${number(x)} ${number(y)}`;
}

function box(x: number, y: number, w: number, h: number): string {
  return `x="${number(x)}" y="${number(y)}" width="${number(w)}" height="${number(h)}"`;
}

function escaped(words: string): string {
  return words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
