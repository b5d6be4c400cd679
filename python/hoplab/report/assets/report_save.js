// Saves a figure as SVG, or as PNG drawn from it: what is shown, with title, axes and legend, on white.
(() => {
  "use strict";
  const SCALE = 2;
  const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

  function svgOf(figure, u, tracks, tools) {
    const px = window.devicePixelRatio || 1;
    const [left, top, width, height] = ["left", "top", "width", "height"].map((key) => u.bbox[key] / px);
    const head = 34;
    const X = (v) => left + u.valToPos(v, "x");
    const Y = (v) => head + top + u.valToPos(v, "y");
    const out = [];
    const text = (x, y, words, more = "") => out.push(`<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${more}>${escaped(words)}</text>`);
    const line = (x1, y1, x2, y2, stroke) => out.push(`<line x1="${x1.toFixed(1)}" y1="${y1.toFixed(1)}" x2="${x2.toFixed(1)}" y2="${y2.toFixed(1)}" stroke="${stroke}"/>`);
    const bottom = head + top + height;
    text(left, 16, figure.title, 'font-weight="600" font-size="14"');
    text(left, 31, figure.y, 'fill="#57606a"');
    u.axes[0]._splits.forEach((at, i) => { line(X(at), head + top, X(at), bottom, "#e7ebef"); text(X(at), bottom + 16, String(u.axes[0]._values[i] ?? ""), 'text-anchor="middle"'); });
    u.axes[1]._splits.forEach((at, i) => { line(left, Y(at), left + width, Y(at), "#e7ebef"); text(left - 6, Y(at) + 4, String(u.axes[1]._values[i] ?? ""), 'text-anchor="end"'); });
    text(left + width / 2, bottom + 34, figure.x, 'text-anchor="middle"');
    out.push(`<clipPath id="area"><rect x="${left - 6}" y="${head + top - 6}" width="${width + 12}" height="${height + 12}"/></clipPath><g clip-path="url(#area)">`);
    const shown = tracks.filter((track, i) => u.series[i + 1].show);
    for (const { curve } of shown) curveOf(curve, tools.inkOf(curve.slot), { X, Y, out, pathOf: tools.marker });
    out.push("</g>");
    let [x, y] = [left, bottom + 56];
    for (const { curve } of shown.filter((track) => track.curve.name)) {
      const wide = 42 + curve.name.length * 6.4;
      if (x > left && x + wide > left + width) { x = left; y += 18; }
      const ink = tools.inkOf(curve.slot);
      if (curve.style !== "dots" && curve.style !== "marks") line(x, y - 4, x + 30, y - 4, `${ink.color}" stroke-width="2" stroke-dasharray="${ink.dash.map((d) => d * 1.5).join(" ")}`);
      if (["points", "dots", "marks"].includes(curve.style)) out.push(`<path transform="translate(${x} ${y - 10})" d="${tools.marker(ink.marker)}" fill="${curve.style === "marks" ? "#fff" : ink.color}" stroke="${ink.color}" stroke-width="1.5"/>`);
      text(x + 36, y, curve.name);
      x += wide + 8;
    }
    const size = [Math.ceil(u.width), Math.ceil(y + 12)];
    return { size, svg: `<svg xmlns="http://www.w3.org/2000/svg" width="${size[0]}" height="${size[1]}" viewBox="0 0 ${size[0]} ${size[1]}" font-family="Helvetica, Arial, sans-serif" font-size="12" fill="#1a1f24"><rect width="100%" height="100%" fill="#fff"/>${out.join("")}</svg>` };
  }

  function curveOf(curve, ink, { X, Y, out, pathOf }) {
    const known = curve.x.map((x, i) => i).filter((i) => curve.y[i] != null);
    const at = (i) => `${X(curve.x[i]).toFixed(1)} ${Y(curve.y[i]).toFixed(1)}`;
    const dash = ink.dash.map((d) => d * 2).join(" ");
    if (curve.style === "outline") { out.push(`<path d="M${known.map(at).join("L")}Z" fill="${ink.color}" fill-opacity=".2" stroke="${ink.color}"/>`); return; }
    if (curve.style === "line" && curve.low && known.length) {
      const edge = (ends, order) => order.map((i) => `${X(curve.x[i]).toFixed(1)} ${Y(ends[i]).toFixed(1)}`).join("L");
      out.push(`<path d="M${edge(curve.high, known)}L${edge(curve.low, [...known].reverse())}Z" fill="${ink.color}" fill-opacity=".16"/>`);
    }
    if (["points", "line", "step"].includes(curve.style) && known.length) {
      const d = curve.style === "step"
        ? known.map((i, k) => (k ? `H${X(curve.x[i]).toFixed(1)}V${Y(curve.y[i]).toFixed(1)}` : `M${at(i)}`)).join("")
        : `M${known.map(at).join("L")}`;
      out.push(`<path d="${d}" fill="none" stroke="${ink.color}" stroke-width="1.8" stroke-dasharray="${dash}"/>`);
    }
    if (!["points", "dots", "marks"].includes(curve.style)) return;
    for (const i of known) {
      const [x, y] = [X(curve.x[i]), Y(curve.y[i])];
      if (curve.low && curve.low[i] != null) out.push(`<path d="M${x} ${Y(curve.low[i])}V${Y(curve.high[i])}M${x - 3} ${Y(curve.low[i])}h6M${x - 3} ${Y(curve.high[i])}h6" stroke="${ink.color}" stroke-width="1.5"/>`);
      out.push(`<path transform="translate(${(x - 15).toFixed(1)} ${(y - 6).toFixed(1)})" d="${pathOf(ink.marker)}" fill="${curve.style === "marks" ? "#fff" : ink.color}" stroke="${ink.color}" stroke-width="1.5"/>`);
    }
  }

  function download(href, name) {
    const link = document.createElement("a");
    link.href = href;
    link.download = name;
    link.click();
  }

  const dataUrl = (svg) => `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;

  async function savePng(made, name) {
    const image = new Image();
    image.src = dataUrl(made.svg);
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = made.size.map((side) => side * SCALE);
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    download(canvas.toDataURL("image/png"), name);
  }

  window.hoplabSave = (figure, plot, tracks, tools) => {
    const box = document.createElement("div");
    box.className = "save";
    for (const [kind, save] of [["SVG", (made, name) => download(dataUrl(made.svg), name)], ["PNG", savePng]]) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = `Save ${kind}`;
      button.addEventListener("click", () => save(svgOf(figure, plot, tracks, tools), `${figure.id}.${kind.toLowerCase()}`));
      box.append(button);
    }
    return box;
  };
})();
