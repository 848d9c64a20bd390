// Legend, tooltip and table of the embedding explorer.
"use strict";

nldr.explorer.words = (() => {
  const {make} = nldr.explorer;
  const ERRORS = {
    trustworthiness: "intruders (trustworthiness)",
    continuity: "missing neighbors (continuity)",
    distortion: "stretch (distortion)",
    doubt: "points not to trust",
    instability: "neighbors that change from draw to draw",
  };

  // --- numbers ------------------------------------------------------------------------------

  // Three significant digits with a true minus
  function number(value) {
    if (value == null || Number.isNaN(value)) return "–";
    if (Number.isInteger(value)) return String(value).replace("-", "−");
    const size = Math.abs(value);
    const text = size >= 1e4 || size < 1e-3 ? value.toExponential(1)
      : String(Number(value.toPrecision(3)));
    return text.replace("e+", "e").replaceAll("-", "−");
  }

  // Three decimals, so that a column is easy to compare
  const score = (value) =>
    value == null || Math.abs(value) >= 10 || Number.isInteger(value) || Math.abs(value) < 5e-4
      ? number(value) : value.toFixed(3).replace("-", "−");

  const stretch = (value) => {
    const factor = 2 ** value;
    return `${factor >= 10 ? factor.toFixed(0) : factor.toPrecision(2)}×`;
  };

  const error = (kind, value) =>
    Number.isNaN(value) ? "not computed" : kind === "distortion" ? stretch(value) : score(value);

  // --- legend -------------------------------------------------------------------------------

  // Classes as buttons that mark their points, or a bar of colors
  function legend(element, {title, kind, palette, classes, counts, low, high}, mark) {
    element.replaceChildren();
    if (kind === "none") {
      element.append(make("p", {text: title}));
      return;
    }
    if (kind === "label") {
      const list = make("ul");
      classes.forEach((name, code) => {
        const swatch = make("span", {class: "explorer-swatch", "aria-hidden": "true"});
        swatch.style.background = palette.css[code];
        const button = make("button", {type: "button", "aria-pressed": "false",
          "data-class": code, title: `Mark the ${counts[code]} points of ${name}`}, swatch, name,
          make("small", {text: ` ${counts[code]}`}));
        button.addEventListener("click", (event) => mark(code, event.shiftKey));
        list.append(make("li", {}, button));
      });
      element.append(make("strong", {text: title}), list);
      return;
    }
    const bar = make("div", {class: "explorer-bar", role: "img"});
    const stops = Array.from({length: 33}, (_, i) => palette.css[Math.round((i / 32) * 254)]);
    bar.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
    const show = kind === "stretch" ? stretch : number;
    const ends = kind === "value" ? ["", ""] : [kind === "stretch" ? "≤ " : "", "≥ "];
    const ticks = make("div", {class: "explorer-ticks", "aria-hidden": "true"});
    for (const t of [0, 0.25, 0.5, 0.75, 1]) {
      const value = low + (high - low) * t;
      ticks.append(make("span", {text: (t === 0 ? ends[0] : t === 1 ? ends[1] : "") + show(value)}));
    }
    bar.setAttribute("aria-label", `Color bar from ${show(low)} to ${show(high)}`);
    element.append(make("strong", {text: title}), make("div", {}, bar, ticks));
  }

  // --- point --------------------------------------------------------------------------------

  // What is known of a point, as pairs of name and value
  function facts(cloud, index, panel) {
    const known = [];
    if (cloud.labels) known.push(["label", cloud.classes[cloud.labels[index]]]);
    cloud.latent.forEach((values, k) => known.push([
      cloud.latent.length > 1 ? `latent ${k + 1}` : "latent", number(values[index])]));
    for (const {name, classes, values} of cloud.columns)
      known.push([name, classes ? classes[values[index]] : number(values[index])]);
    for (const [kind, values] of Object.entries(panel?.shown.errors ?? {}))
      if (kind === "doubt") known.push(["trust", values[index] ? "no" : "yes"]);
      else known.push([ERRORS[kind] ?? kind, error(kind, values[index])]);
    return known;
  }

  // `sheet` is {picture, described} of the cloud's images, or null
  function tooltip(element, cloud, index, panel, sheet) {
    const list = make("dl");
    for (const [name, value] of facts(cloud, index, panel))
      list.append(make("dt", {text: name}), make("dd", {text: value}));
    const name = cloud.names?.[index] ?? `Point ${index} of ${cloud.n}`;
    element.replaceChildren(make("strong", {text: name}), list);
    if (!sheet) return;
    const {picture, described} = sheet, number = cloud.images[index];
    if (number >= described.n) {
      element.append(make("p", {text: "This image is not on the page."}));
      return;
    }
    const {width, height, columns} = described;
    const scale = 88 / Math.max(width, height);
    const canvas = make("canvas", {width: Math.round(width * scale),
      height: Math.round(height * scale)});
    const context = canvas.getContext("2d");
    context.imageSmoothingEnabled = width > 12;
    context.drawImage(picture, (number % columns) * width, Math.floor(number / columns) * height,
      width, height, 0, 0, canvas.width, canvas.height);
    element.prepend(canvas);
  }

  function spoken(cloud, index, panel) {
    const name = cloud.names?.[index] ?? `Point ${index}`;
    return name + facts(cloud, index, panel).map((pair) => `, ${pair.join(" ")}`).join("");
  }

  // --- selection and scores -----------------------------------------------------------------

  function summary(cloud, selected) {
    if (!selected) return `${cloud.n} points, ${cloud.features} features. Nothing is marked.`;
    let count = 0;
    const counts = new Map();
    selected.forEach((flag, i) => {
      if (!flag) return;
      count++;
      if (cloud.labels) counts.set(cloud.labels[i], (counts.get(cloud.labels[i]) ?? 0) + 1);
    });
    const most = [...counts].sort((a, b) => b[1] - a[1]);
    const parts = most.slice(0, 5).map(([code, n]) => `${cloud.classes[code]} (${n})`);
    const rest = most.length > 5 ? `, ${most.length - 5} more` : "";
    const labels = parts.length ? `, labels ${parts.join(", ")}${rest}` : "";
    return `${count} of ${cloud.n} points marked${labels}.`;
  }

  function meanOf(values, flags) {
    let total = 0, n = 0;
    for (let i = 0; i < values.length; i++) {
      if ((flags && !flags[i]) || !Number.isFinite(values[i])) continue;
      total += values[i];
      n++;
    }
    return n ? total / n : NaN;
  }

  // One row per embedding: status, scores, and mean errors of the marked points
  function table(element, panels, titles, selected) {
    const shown = panels.filter((panel) => panel.shown.scores);
    if (!shown.length) {
      element.replaceChildren(make("p", {text: "Choose a method."}));
      return;
    }
    const metrics = Object.keys(titles).filter((m) => shown.some((p) => m in p.shown.scores));
    const kinds = Object.keys(ERRORS).filter((k) => shown.some((p) => p.shown.errors[k]));
    const head = make("tr", {}, make("th", {scope: "col", text: "Method"}),
      make("th", {scope: "col", text: "Status"}));
    for (const m of metrics) head.append(make("th", {scope: "col", text: titles[m]}));
    const whose = selected ? "marked points" : "all points";
    for (const k of kinds)
      head.append(make("th", {scope: "col", text: `mean ${ERRORS[k].split(" (")[0]}, ${whose}`}));
    const body = make("tbody");
    for (const {shown: {title, status, message, scores, errors}} of shown) {
      const row = make("tr", {}, make("th", {scope: "row", text: title}),
        make("td", {text: message ? `${status}: ${message}` : status}));
      for (const m of metrics) row.append(make("td", {class: "number", text: score(scores[m])}));
      for (const k of kinds) {
        const value = errors[k] ? meanOf(errors[k], selected) : NaN;
        row.append(make("td", {class: "number",
          text: Number.isNaN(value) ? "–" : error(k, value)}));
      }
      body.append(row);
    }
    element.replaceChildren(make("table", {}, make("thead", {}, head), body));
  }

  return {ERRORS, legend, number, spoken, summary, table, tooltip};
})();
