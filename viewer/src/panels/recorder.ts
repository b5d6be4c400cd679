// Records the picture as a WebM video while it plays.

const FRAMES_PER_S = 30;
const BITS_PER_S = 4e6;
const TYPES = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];

export class Recorder {
  private recorder: MediaRecorder | null = null;

  get running(): boolean {
    return this.recorder !== null;
  }

  /** Starts recording a canvas; `done` gets the video. Throws where the browser cannot record. */
  start(canvas: HTMLCanvasElement, done: (video: Blob) => void): void {
    const type = typeof MediaRecorder === "undefined" ? undefined : TYPES.find((one) => MediaRecorder.isTypeSupported(one));
    if (!type) throw new Error("this browser cannot record WebM; use Chromium or Firefox");
    const parts: Blob[] = [];
    const recorder = new MediaRecorder(canvas.captureStream(FRAMES_PER_S), { mimeType: type, videoBitsPerSecond: BITS_PER_S });
    recorder.addEventListener("dataavailable", (event) => parts.push(event.data));
    recorder.addEventListener("stop", () => done(new Blob(parts, { type: "video/webm" })));
    recorder.start(1000);
    this.recorder = recorder;
  }

  stop(): void {
    this.recorder?.stop();
    this.recorder = null;
  }
}

export function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
