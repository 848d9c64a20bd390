// Panels of the embedding explorer: one plot with its title, axes, buttons, pointer and keys.
//
// A panel tells the explorer (`app`) what the reader points at and marks; the explorer then asks all
// panels to draw.
"use strict";

nldr.explorer.make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") element.textContent = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
};

nldr.explorer.Panel = class Panel {
  static CLICK = 4; // pixels that a click may move

  // `shown` has key, title, note (scores), axes, defaults, look, status, message, errors
  constructor(app, shown) {
    this.app = app;
    this.shown = shown;
    this.brush = null;
    const {make} = nldr.explorer;
    this.element = make("section", {class: "explorer-panel", "aria-label": shown.title,
      "data-key": shown.key, "data-status": shown.status});
    this.element.append(this.header(make));
    if (shown.axes.length) this.addPlot(make);
    else this.addFailure(make);
  }

  header(make) {
    const {look, title, note} = this.shown;
    const swatch = make("span", {class: "explorer-swatch", "aria-hidden": "true"});
    if (look) swatch.style.background = look[0];
    swatch.hidden = !look;
    return make("header", {}, make("h3", {}, swatch, title), make("p", {text: note}));
  }

  addFailure(make) {
    const {status, message} = this.shown;
    this.element.classList.add("failed");
    this.element.append(make("div", {class: "explorer-failure"},
      make("strong", {text: `✗ ${status.replaceAll("_", " ")}`}),
      make("p", {text: message || "There is no message."})));
  }

  addPlot(make) {
    const base = make("canvas", {"aria-hidden": "true"});
    const overlay = make("canvas", {tabindex: 0, role: "application",
      "aria-roledescription": "scatter plot",
      "aria-label": `${this.shown.title}: scatter plot of ${this.app.cloud.n} points. ` +
        "Arrow keys go from point to point, Enter marks one, Escape clears."});
    this.plot = new nldr.explorer.Plot(base, overlay);
    this.frame = make("div", {class: "explorer-plot"}, base, overlay);
    this.element.append(this.frame, this.footer(make));
    this.setAxes();
    this.listen(overlay);
    this.observer = new ResizeObserver(() => this.fit());
    this.observer.observe(this.frame);
  }

  footer(make) {
    const {axes, defaults, dimensions} = this.shown;
    const choice = (label, at) => {
      const select = make("select", {"aria-label": `${label} axis of ${this.shown.title}`});
      axes.forEach((axis, k) => select.append(new Option(axis.name, k)));
      select.value = at;
      select.addEventListener("change", () => {
        this.setAxes();
        this.draw();
      });
      return select;
    };
    this.xAxis = choice("Horizontal", defaults[0]);
    this.yAxis = choice("Vertical", defaults[1]);
    const button = (text, label, act) =>
      make("button", {type: "button", "aria-label": label, title: label, text,
        onclick: () => { act(); this.draw(); }});
    this.scaleNote = make("small", {text: "axes have different scales"});
    const chosen = make("span", {class: "explorer-axes"}, this.xAxis, "×", this.yAxis);
    chosen.hidden = dimensions === 2;
    return make("footer", {}, chosen, this.scaleNote, make("span", {class: "explorer-zoom"},
      button("+", "Zoom in", () => this.plot.zoomBy(1.5)),
      button("−", "Zoom out", () => this.plot.zoomBy(1 / 1.5)),
      button("⟲", "Show all points", () => this.plot.reset())));
  }

  setAxes() {
    const [x, y] = [this.xAxis, this.yAxis].map((select) => this.shown.axes[select.value]);
    // Equal axes where both are coordinates of one space, unless that would leave a line
    const [a, b] = [x, y].map((axis) => {
      const [low, high] = nldr.explorer.Plot.range(axis.values);
      return high - low;
    });
    const equal = x.group === y.group && Math.max(a / b, b / a) < 8;
    this.scaleNote.hidden = equal;
    // What lies under the points is in the plane of the two coordinates
    const {axes, ellipses, background} = this.shown, own = x === axes[0] && y === axes[1];
    this.plot.setPoints(x.values, y.values, equal, own ? {ellipses, background} : {});
  }

  fit() {
    const {width, height} = this.frame.getBoundingClientRect();
    if (!width || (width === this.plot.width && height === this.plot.height)) return;
    this.plot.resize(width, height);
    this.draw();
  }

  remove() {
    this.observer?.disconnect();
    this.element.remove();
  }

  // --- drawing ------------------------------------------------------------------------------

  draw() {
    if (!this.plot) return;
    const {app} = this, paint = app.paint(this);
    this.plot.draw({...paint, selected: app.selected});
    if (app.namesShown)
      this.plot.drawNames(app.cloud.classes, app.cloud.labels, app.ink, app.paper);
    this.drawOverlay();
  }

  drawOverlay() {
    const {hovered, ink, paper} = this.app;
    this.plot?.drawOverlay({hovered, brush: this.brush, ink, paper});
  }

  // --- pointer ------------------------------------------------------------------------------

  listen(canvas) {
    const on = (type, act, options) => canvas.addEventListener(type, act.bind(this), options);
    on("pointerdown", this.press);
    on("pointermove", this.moveOver);
    on("pointerup", this.release);
    on("pointercancel", this.cancel);
    on("pointerleave", (event) =>
      this.drag || event.pointerType === "touch" || this.app.hover(-1, null));
    on("wheel", this.wheel, {passive: false});
    on("keydown", this.key);
    on("focus", () => canvas.matches(":focus-visible") && this.app.hover(
      Math.max(this.app.focused, 0), this));
    on("blur", () => this.app.hover(-1, null));
  }

  at(event) {
    const box = this.frame.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  press(event) {
    if (event.button !== 0) return;
    const mode = this.app.mode, from = this.at(event);
    this.drag = {mode, from, last: from, moved: false, add: event.shiftKey};
    if (mode !== "none") event.target.setPointerCapture(event.pointerId);
  }

  moveOver(event) {
    const place = this.at(event), drag = this.drag;
    if (!drag || drag.mode === "none") {
      this.app.soon("hover", () => this.app.hover(
        this.plot.nearest(...place, this.app.selected), this, place));
      return;
    }
    drag.moved ||= Math.hypot(place[0] - drag.from[0], place[1] - drag.from[1]) > Panel.CLICK;
    if (!drag.moved) return;
    this.app.hover(-1, null);
    if (drag.mode === "move") {
      this.plot.pan(place[0] - drag.last[0], place[1] - drag.last[1]);
      drag.last = place;
      this.app.soon(`draw ${this.shown.key}`, () => this.draw());
      return;
    }
    this.extend(drag, place);
    this.app.soon("brush", () => this.drag && this.app.mark(this, this.brush, this.drag.add));
  }

  // The brush up to a place
  extend(drag, [x, y]) {
    const [a, b] = drag.from;
    if (drag.mode === "rectangle") this.brush = [[a, b], [x, b], [x, y], [a, y]];
    else {
      const last = this.brush?.at(-1) ?? drag.from;
      if (!this.brush) this.brush = [drag.from];
      if (Math.hypot(x - last[0], y - last[1]) > 3) this.brush.push([x, y]);
    }
  }

  release(event) {
    const drag = this.drag;
    if (!drag) return;
    if (this.brush) this.app.mark(this, this.brush, drag.add, true);
    this.drag = this.brush = null;
    if (!drag.moved) {
      const place = this.at(event), found = this.plot.nearest(...place, null);
      // A tap looks at a point, a click clears
      if (event.pointerType === "touch" && found >= 0) this.app.hover(found, this, place);
      else {
        this.app.hover(-1, null);
        this.app.clear();
      }
    }
    this.drawOverlay();
  }

  cancel() {
    this.drag = this.brush = null;
    this.drawOverlay();
  }

  wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    this.plot.zoomBy(Math.exp(-event.deltaY * 0.004), ...this.at(event));
    this.app.soon(`draw ${this.shown.key}`, () => this.draw());
  }

  // --- keys ---------------------------------------------------------------------------------

  key(event) {
    const {app, plot} = this, from = Math.max(app.focused, 0), n = plot.n;
    const go = (index) => app.hover((index + n) % n, this);
    const view = (act) => { act(); this.draw(); };
    const acts = {
      ArrowLeft: () => go(plot.neighbor(from, -1, 0)),
      ArrowRight: () => go(plot.neighbor(from, 1, 0)),
      ArrowUp: () => go(plot.neighbor(from, 0, -1)),
      ArrowDown: () => go(plot.neighbor(from, 0, 1)),
      Home: () => go(0),
      End: () => go(n - 1),
      PageUp: () => go(from - 1),
      PageDown: () => go(from + 1),
      Enter: () => app.toggle(from),
      " ": () => app.toggle(from),
      Escape: () => app.clear(),
      "+": () => view(() => plot.zoomBy(1.5)),
      "=": () => view(() => plot.zoomBy(1.5)),
      "-": () => view(() => plot.zoomBy(1 / 1.5)),
      0: () => view(() => plot.reset()),
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in acts)) return;
    event.preventDefault();
    acts[event.key]();
  }

  // Where a point is in the window
  placeOf(index) {
    const box = this.frame.getBoundingClientRect();
    return [box.left + this.plot.sx[index], box.top + this.plot.sy[index]];
  }
};
