// Draws the figures of a hoplab report with uPlot: intervals as bars or bands, a tip under the pointer,
// zoom by dragging, curves switched by their buttons. Reads only the data inside the page.
(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("report-data").textContent);
  const narrow = () => window.innerWidth < 600;
  const inkOf = (slot) => data.inks[slot % data.inks.length];
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const inked = (color) => (color === "#000000" ? css("--ink") : color);
  const svgNS = "http://www.w3.org/2000/svg";

  // All curves share one sorted list of x values; a curve has null where it has no point.
  function align(figure) {
    const xs = [...new Set(figure.curves.flatMap((curve) => curve.x))].sort((a, b) => a - b);
    const at = new Map(xs.map((x, i) => [x, i]));
    const spread = (curve, values) => {
      const row = new Array(xs.length).fill(curve.style === "line" || curve.style === "step" ? undefined : null);
      curve.x.forEach((x, i) => { row[at.get(x)] = values[i]; });
      return row;
    };
    const tracks = figure.curves.map((curve) => ({
      curve,
      y: spread(curve, curve.y),
      low: curve.low && spread(curve, curve.low),
      high: curve.high && spread(curve, curve.high),
      n: Array.isArray(curve.n) ? spread(curve, curve.n) : curve.y.length && curve.n ? xs.map(() => curve.n) : null,
    }));
    return { xs, tracks };
  }

  function marker(ctx, kind, x, y, r) {
    const path = new Path2D();
    if (kind === "o") path.arc(x, y, r, 0, 2 * Math.PI);
    else if (kind === "s") path.rect(x - r, y - r, 2 * r, 2 * r);
    else if (kind === "^") { path.moveTo(x, y - 1.2 * r); path.lineTo(x + 1.1 * r, y + r); path.lineTo(x - 1.1 * r, y + r); path.closePath(); }
    else if (kind === "v") { path.moveTo(x, y + 1.2 * r); path.lineTo(x + 1.1 * r, y - r); path.lineTo(x - 1.1 * r, y - r); path.closePath(); }
    else if (kind === "D") { path.moveTo(x, y - 1.3 * r); path.lineTo(x + 1.3 * r, y); path.lineTo(x, y + 1.3 * r); path.lineTo(x - 1.3 * r, y); path.closePath(); }
    else if (kind === "P") { const w = r * 0.4; path.rect(x - r, y - w, 2 * r, 2 * w); path.rect(x - w, y - r, 2 * w, 2 * r); }
    else { path.moveTo(x - r, y - r); path.lineTo(x + r, y + r); path.moveTo(x + r, y - r); path.lineTo(x - r, y + r); }
    return path;
  }

  // Interval bars and markers, drawn over the lines; bands are drawn under them.
  function decorate(tracks) {
    return (u) => {
      const ctx = u.ctx;
      const px = window.devicePixelRatio || 1;
      ctx.save();
      ctx.beginPath();
      ctx.rect(u.bbox.left - 6 * px, u.bbox.top - 6 * px, u.bbox.width + 12 * px, u.bbox.height + 12 * px);
      ctx.clip();
      tracks.forEach((track, index) => {
        if (!u.series[index + 1].show) return;
        const { curve } = track;
        if (!["points", "dots", "marks"].includes(curve.style)) return;
        const ink = inkOf(curve.slot);
        ctx.strokeStyle = inked(ink.color);
        ctx.fillStyle = curve.style === "marks" ? css("--paper") : inked(ink.color);
        ctx.lineWidth = 1.5 * px;
        ctx.setLineDash([]);
        u.data[0].forEach((x, i) => {
          const y = track.y[i];
          if (y == null || x < u.scales.x.min || x > u.scales.x.max) return;
          const cx = u.valToPos(x, "x", true);
          if (track.low && track.low[i] != null && track.high[i] != null) {
            const top = u.valToPos(track.high[i], "y", true);
            const bottom = u.valToPos(track.low[i], "y", true);
            ctx.beginPath();
            ctx.moveTo(cx, top); ctx.lineTo(cx, bottom);
            for (const end of [top, bottom]) { ctx.moveTo(cx - 3 * px, end); ctx.lineTo(cx + 3 * px, end); }
            ctx.stroke();
          }
          const path = marker(ctx, ink.marker, cx, u.valToPos(y, "y", true), (curve.style === "marks" ? 4.2 : 3.4) * px);
          if (ink.marker !== "X") ctx.fill(path);
          if (ink.marker === "X" || curve.style === "marks") ctx.stroke(path);
        });
      });
      ctx.restore();
    };
  }

  function outline(u, curve) {
    const path = new Path2D();
    curve.x.forEach((x, i) => path[i ? "lineTo" : "moveTo"](u.valToPos(x, "x", true), u.valToPos(curve.y[i], "y", true)));
    const ctx = u.ctx;
    ctx.save();
    ctx.beginPath();
    ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
    ctx.clip();
    ctx.fillStyle = ctx.strokeStyle = inked(inkOf(curve.slot).color);
    ctx.globalAlpha = 0.2;
    ctx.fill(path);
    ctx.globalAlpha = 0.7;
    ctx.stroke(path);
    ctx.restore();
  }

  function bands(tracks) {
    return (u) => {
      const ctx = u.ctx;
      tracks.forEach((track, index) => {
        const { curve } = track;
        if (curve.style === "outline" && u.series[index + 1].show) outline(u, curve);
        if (curve.style !== "line" || !track.low || !u.series[index + 1].show) return;
        const path = new Path2D();
        const points = u.data[0].map((x, i) => [x, track.low[i], track.high[i]]).filter((p) => p[1] != null && p[2] != null);
        if (!points.length) return;
        points.forEach(([x, , high], i) => path[i ? "lineTo" : "moveTo"](u.valToPos(x, "x", true), u.valToPos(high, "y", true)));
        points.reverse().forEach(([x, low]) => path.lineTo(u.valToPos(x, "x", true), u.valToPos(low, "y", true)));
        path.closePath();
        ctx.save();
        ctx.beginPath();
        ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
        ctx.clip();
        ctx.globalAlpha = 0.16;
        ctx.fillStyle = inked(inkOf(curve.slot).color);
        ctx.fill(path);
        ctx.restore();
      });
    };
  }

  const round = (value) => String(Number(value.toPrecision(4)));

  function tipFor(figure, tracks) {
    const tip = document.createElement("div");
    tip.className = "tip";
    tip.hidden = true;
    return {
      hooks: {
        init: (u) => { u.over.appendChild(tip); u.over.addEventListener("mouseleave", () => { tip.hidden = true; }); },
        setCursor: (u) => {
          const i = u.cursor.idx;
          if (i == null || u.cursor.left < 0) { tip.hidden = true; return; }
          tip.replaceChildren();
          const head = document.createElement("b");
          head.textContent = `${figure.x} ${figure.names.length ? figure.names[Math.round(u.data[0][i])] ?? "" : round(u.data[0][i])}`;
          tip.append(head);
          tracks.forEach((track, index) => {
            const y = track.y[i];
            if (y == null || !u.series[index + 1].show || !track.curve.name) return;
            const row = document.createElement("div");
            const swatch = document.createElement("span");
            swatch.className = "swatch";
            swatch.style.background = inkOf(track.curve.slot).color;
            let text = `${track.curve.name}: ${round(y)}`;
            if (track.low && track.low[i] != null) text += ` \u00b1 ${Number(((track.high[i] - track.low[i]) / 2).toPrecision(2))}`;
            if (track.n && track.n[i]) text += ` (n = ${track.n[i]}${track.n[i] === 1 ? ", no interval" : ""})`;
            row.append(swatch, text);
            tip.append(row);
          });
          tip.hidden = tip.childElementCount < 2;
          if (tip.hidden) return;
          const width = tip.offsetWidth;
          const beside = u.cursor.left + 14 + width > u.over.clientWidth ? u.cursor.left - 14 - width : u.cursor.left + 14;
          tip.style.left = `${Math.max(0, Math.min(beside, u.over.clientWidth - width))}px`;
          tip.style.top = `${Math.max(0, Math.min(u.cursor.top + 10, u.over.clientHeight - tip.offsetHeight))}px`;
        },
      },
    };
  }

  // Markers around (15, 6).
  const pathOf = (kind) => ({ o: "M11 6a4 4 0 1 0 8 0a4 4 0 1 0 -8 0", s: "M11 2h8v8h-8z", "^": "M15 1l5 9h-10z", v: "M15 11l5 -9h-10z", D: "M15 1l5 5l-5 5l-5 -5z", P: "M13 1h4v3h3v4h-3v3h-4v-3h-3v-4h3z", X: "M11 2l8 8M19 2l-8 8" })[kind];
  const shade = (ink) => (ink.color === "#000000" ? "currentColor" : ink.color);

  function sample(ink, style) {
    const svg = document.createElementNS(svgNS, "svg");
    svg.setAttribute("width", "30");
    svg.setAttribute("height", "12");
    svg.setAttribute("aria-hidden", "true");
    if (style !== "marks" && style !== "dots") {
      const line = document.createElementNS(svgNS, "line");
      for (const [key, value] of Object.entries({ x1: 0, x2: 30, y1: 6, y2: 6, stroke: shade(ink), "stroke-width": 2, "stroke-dasharray": ink.dash.map((d) => d * 1.5).join(" ") })) line.setAttribute(key, value);
      svg.append(line);
    }
    if (["points", "dots", "marks"].includes(style)) {
      const shape = document.createElementNS(svgNS, "path");
      shape.setAttribute("d", pathOf(ink.marker));
      shape.setAttribute("fill", style === "marks" ? "none" : shade(ink));
      shape.setAttribute("stroke", shade(ink));
      shape.setAttribute("stroke-width", "1.5");
      svg.append(shape);
    }
    return svg;
  }

  function legend(plot, tracks) {
    const box = document.createElement("div");
    box.className = "legend";
    const buttons = [];
    // Curves without a name belong to the named one of their slot.
    const switchGroup = (at, show) => tracks.forEach((track, i) => {
      if (i === at || (!track.curve.name && track.curve.slot === tracks[at].curve.slot)) plot.setSeries(i + 1, { show });
    });
    tracks.forEach((track, index) => {
      if (!track.curve.name) return;
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("aria-pressed", String(track.curve.shown));
      button.append(sample(inkOf(track.curve.slot), track.curve.style), track.curve.name);
      button.addEventListener("click", (event) => {
        const isAlone = buttons.every(([at, one]) => (one.getAttribute("aria-pressed") === "true") === (at === index));
        for (const [at, one] of event.shiftKey ? buttons : [[index, button]]) {
          const show = event.shiftKey ? isAlone || at === index : one.getAttribute("aria-pressed") !== "true";
          one.setAttribute("aria-pressed", String(show));
          switchGroup(at, show);
        }
      });
      buttons.push([index, button]);
      box.append(button);
    });
    return box;
  }

  // Room for a label of 13 pixels, in pixels.
  const halfWidth = (label) => label.length * 3.8;
  const longest = (labels) => (labels ?? []).reduce((most, label) => (label && label.length > most.length ? label : most), "");

  function build(holder, figure) {
    const { xs, tracks } = align(figure);
    const overlay = decorate(tracks);
    const under = bands(tracks);
    const tip = tipFor(figure, tracks);
    const size = () => ({ width: Math.max(holder.clientWidth, 260), height: narrow() ? 300 : 400 });
    const series = tracks.map(({ curve }) => {
      const ink = inkOf(curve.slot);
      const joined = !["marks", "dots", "outline"].includes(curve.style);
      return {
        label: curve.name,
        show: curve.shown,
        stroke: () => inked(ink.color),
        width: joined ? (curve.style === "step" ? 1 : 1.8) : 0,
        dash: ink.dash.length ? ink.dash.map((d) => d * 2) : undefined,
        paths: joined ? (curve.style === "step" ? uPlot.paths.stepped({ align: 1 }) : uPlot.paths.linear()) : () => null,
        points: { show: false },
      };
    });
    const span = xs.length > 1 ? xs[xs.length - 1] - xs[0] : 1;
    const pad = figure.integerX ? Math.max(0.35, span * 0.02) : tracks.some((track) => track.curve.style === "outline") ? span * 0.05 : 0;
    const first = xs[0] - pad;
    const last = xs[xs.length - 1] + pad;
    const highest = (u, from, to) => {
      let top = 0;
      tracks.forEach((track, index) => {
        if (!u.series[index + 1].show) return;
        if (track.curve.style === "outline") { track.curve.x.forEach((x, i) => { if (x >= from && x <= to) top = Math.max(top, track.curve.y[i]); }); return; }
        const values = track.high || track.y;
        u.data[0].forEach((x, i) => { if (x >= from && x <= to && values[i] != null) top = Math.max(top, values[i]); });
      });
      return top;
    };
    const lowest = (u, from, to, fallback) => {
      let bottom = Infinity;
      tracks.forEach((track, index) => {
        if (!u.series[index + 1].show) return;
        if (track.curve.style === "outline") { track.curve.x.forEach((x, i) => { if (x >= from && x <= to) bottom = Math.min(bottom, track.curve.y[i]); }); return; }
        u.data[0].forEach((x, i) => { const v = (track.low && track.low[i]) ?? track.y[i]; if (x >= from && x <= to && v != null) bottom = Math.min(bottom, v); });
      });
      return Number.isFinite(bottom) ? bottom : fallback;
    };
    const options = {
      ...size(),
      padding: [10, Math.max(12, halfWidth(figure.names.at(-1) ?? "")), 0, 0],
      cursor: { drag: { x: true, y: false }, points: { show: false }, focus: { prox: 30 } },
      scales: {
        x: { time: false, range: (u, min, max) => (min == null || (min <= xs[0] && max >= xs[xs.length - 1]) ? [first, last] : [min, max]) },
        y: { range: (u, min, max) => {
          const top = highest(u, u.scales.x.min ?? first, u.scales.x.max ?? last) || max || 1;
          if (figure.fromZero) return [0, top * 1.06];
          const bottom = lowest(u, u.scales.x.min ?? first, u.scales.x.max ?? last, min);
          return [bottom - (top - bottom) * 0.08, top + (top - bottom) * 0.08];
        } },
      },
      axes: [
        { label: figure.x, size: 36, labelSize: 22, labelGap: 2, labelFont: "14px system-ui, sans-serif", font: "13px system-ui, sans-serif", stroke: () => css("--ink"), grid: { stroke: () => css("--grid"), width: 1 }, ticks: { stroke: () => css("--line"), width: 1 }, space: narrow() ? 34 : 44, values: figure.names.length ? (u, splits) => splits.map((at) => figure.names[at] ?? "") : undefined, incrs: figure.integerX ? [1, 2, 4, 5, 10, 20, 50, 100, 200, 500, 1000] : undefined },
        { font: "13px system-ui, sans-serif", stroke: () => css("--ink"), grid: { stroke: () => css("--grid"), width: 1 }, ticks: { stroke: () => css("--line"), width: 1 }, size: (u, values) => Math.max(58, 22 + 2 * halfWidth(longest(values))) },
      ],
      series: [{}, ...series],
      hooks: { drawAxes: [under], draw: [overlay], init: [tip.hooks.init], setCursor: [tip.hooks.setCursor] },
    };
    const label = document.createElement("p");
    label.className = "ylabel";
    label.textContent = figure.y;
    holder.append(label);
    const plot = new uPlot(options, [xs, ...tracks.map((track) => track.y)], holder);
    holder.append(legend(plot, tracks), window.hoplabSave(figure, plot, tracks, { inkOf, inked, css, marker: pathOf }));
    move(holder, plot, first, last);
    new ResizeObserver(() => { const next = size(); if (next.width !== plot.width || next.height !== plot.height) plot.setSize(next); }).observe(holder);
    return plot;
  }

  // Drags with Shift move; keys move and zoom.
  function move(holder, u, first, last) {
    const show = (min, max) => {
      const width = Math.min(max - min, last - first);
      const from = Math.max(first, Math.min(min, last - width));
      u.setScale("x", { min: from, max: from + width });
    };
    const shift = (share) => { const { min, max } = u.scales.x; show(min + share * (max - min), max + share * (max - min)); };
    const zoom = (factor) => { const { min, max } = u.scales.x; const half = ((max - min) * factor) / 2; show((min + max) / 2 - half, (min + max) / 2 + half); };
    u.root.addEventListener("mousedown", (event) => {
      if (!event.shiftKey || event.button !== 0) return;
      event.preventDefault();
      event.stopPropagation();
      const { min, max } = u.scales.x;
      const drag = (to) => { const by = ((event.clientX - to.clientX) / u.over.clientWidth) * (max - min); show(min + by, max + by); };
      window.addEventListener("mousemove", drag);
      window.addEventListener("mouseup", () => window.removeEventListener("mousemove", drag), { once: true });
    }, true);
    holder.addEventListener("keydown", (event) => {
      if (event.target !== holder || event.ctrlKey || event.metaKey || event.altKey) return;
      const act = { ArrowLeft: () => shift(-0.2), ArrowRight: () => shift(0.2), "+": () => zoom(0.5), "-": () => zoom(2), 0: () => show(first, last) }[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    });
  }

  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => window.hoplabPlots.forEach((plot) => plot.redraw(false)));
  window.hoplabPlots = [...document.querySelectorAll(".plot")].map((holder) => build(holder, data.figures[Number(holder.dataset.figure)]));
})();
