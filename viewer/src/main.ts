// Entry point of the animation in reports: reads the data embedded in the page.
import { element } from "./panels/dom.ts";
import { Scene } from "./data/scene.ts";
import type { Data } from "./data/scene.ts";
import { Viewer } from "./viewer.ts";

async function start(): Promise<void> {
  const root = document.getElementById("panel");
  const source = document.getElementById("panel-data");
  if (!root || !source?.textContent) return;
  try {
    if (typeof DecompressionStream === "undefined") throw new Error("this browser lacks DecompressionStream; browsers since 2023 have it");
    root.textContent = "Unpacking the animation \u2026";
    const data = JSON.parse(source.textContent) as Data;
    const viewer = new Viewer(root, await Scene.read(data), data.beside ? await Scene.read(data.beside) : null);
    (window as unknown as { hoplabViewer: Viewer }).hoplabViewer = viewer;
  } catch (error) {
    root.replaceChildren(element("p", { class: "warning", role: "alert" }, `The animation cannot be shown: ${error instanceof Error ? error.message : String(error)}`));
    root.dataset["failed"] = "yes";
  }
}

void start();
