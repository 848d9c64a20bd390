// The embedding explorer: what is chosen, and what all panels share.
//
// Address: #/explorer?data=<cell>&methods=<cell>,<cell>&trial=0&color=label
"use strict";

(() => {
  const {colors, data, make, words, Choices, Panel} = nldr.explorer;

  class Explorer extends Choices {
    constructor(element, params, index) {
      super(element, index);
      this.panels = [];
      this.tasks = new Map(); // what the next frame does
      this.selected = null; // flags of the marked points, or null
      this.hovered = -1;
      this.focused = -1; // the point that keys start from
      this.$tip = make("div", {class: "explorer-tip", "aria-hidden": "true", hidden: ""});
      this.$spoken = make("output", {class: "explorer-spoken", "aria-live": "polite"});
      element.append(this.$tip, this.$spoken);
      this.readTheme();
      this.start(params);
    }

    // --- choices ----------------------------------------------------------------------------

    async start(params) {
      this.fillDatasets();
      const coarse = matchMedia("(pointer: coarse)").matches;
      this.form.mode.value = coarse ? "none" : "rectangle";
      this.showMode();
      const cell = params.get("data");
      this.form.align.checked = params.get("align") !== "0";
      if (cell && this.cells.has(cell)) this.form.data.value = cell;
      this.wanted = params.get("methods")?.split(",").filter(Boolean) ?? null;
      this.listen();
      await this.chooseData(params.get("trial"), params.get("color"));
    }

    async chooseData(trial, color) {
      const clouds = this.cells.get(this.form.data.value);
      const trials = [...new Set(clouds.flatMap((c) => c.embeddings.map((e) => e.trial)))];
      trials.sort((a, b) => a - b);
      this.form.trial.replaceChildren(...trials.map((t) => new Option(t, t)));
      this.form.trial.disabled = trials.length < 2;
      if (trial !== null && trials.includes(Number(trial))) this.form.trial.value = trial;
      const left = clouds[0].leftOut;
      this.$note.hidden = !left;
      this.$note.textContent = `${left} embedding${left > 1 ? "s" : ""} of these data, mostly of ` +
        "further trials, did not fit on this page.";
      await this.chooseTrial(color);
    }

    async chooseTrial(color = this.form.color.value) {
      const trial = Number(this.form.trial.value);
      const clouds = this.cells.get(this.form.data.value);
      const described = clouds.find((c) => c.embeddings.some((e) => e.trial === trial)) ?? clouds[0];
      const asked = this.asked = {};
      const cloud = await data.cloud(described);
      if (asked !== this.asked) return; // something else was chosen meanwhile
      if (cloud.block !== this.cloud?.block) {
        this.selected = null;
        this.focused = -1;
      }
      this.cloud = cloud;
      this.sheet = null;
      this.found = this.embeddingsOf(cloud, trial);
      if (cloud.images) this.loadImages(cloud);
      this.fillColors(color);
      this.fillMethods();
      this.showPanels();
    }

    async loadImages(cloud) {
      const described = this.index.sheets[cloud.sheet];
      const picture = await data.sheet(described);
      if (cloud === this.cloud) this.sheet = {picture, described};
    }

    listen() {
      const {form} = this;
      this.$controls.addEventListener("submit", (event) => event.preventDefault());
      form.data.addEventListener("change", () => this.chooseData(form.trial.value));
      form.trial.addEventListener("change", () => this.chooseTrial());
      form.color.addEventListener("change", () => {
        this.showColors();
        this.remember();
      });
      form.align.addEventListener("change", () => this.showPanels());
      for (const radio of form.mode) radio.addEventListener("change", () => this.showMode());
      const changed = () => {
        this.wanted = this.chosen;
        this.countBoxes();
        this.showPanels();
      };
      this.$list.addEventListener("change", changed);
      this.$methods.addEventListener("click", (event) => {
        const choice = event.target.dataset.choose;
        if (!choice) return;
        this.choose(choice);
        changed();
      });
      this.$clear.addEventListener("click", () => this.clear());
    }

    get mode() { return this.form.mode.value; }

    showMode() { this.$panels.dataset.mode = this.mode; }

    // --- panels -----------------------------------------------------------------------------

    showPanels() {
      for (const panel of this.panels) panel.remove();
      const keys = this.chosen;
      const shown = keys.map((key) => this.describe(key));
      if (this.form.align.checked) this.align(shown);
      this.panels = shown.map((found) => new Panel(this, found));
      this.$panels.classList.toggle("many", keys.length > 6);
      this.$panels.replaceChildren(...this.panels.map((panel) => panel.element));
      if (!keys.length) this.$panels.append(make("p", {text: "Choose a method above."}));
      this.showColors();
      this.showSelection();
      this.remember();
    }

    // What a panel shows; any axis can be chosen where there are not just two
    describe(key) {
      const {cloud} = this;
      const named = (name, values, group) =>
        values.map((v, k) => ({name: values.length > 1 ? `${name} ${k + 1}` : name, values: v, group}));
      const order = Float32Array.from({length: cloud.n}, (_, i) => i);
      const latent = named("latent", cloud.latent, "latent");
      const index = {name: "index", values: order, group: "index"};
      const truth = key === Choices.TRUE_POINTS, e = this.found.get(key);
      const own = truth ? latent : key === Choices.OBSERVED
        ? named("feature", cloud.data, "data") : named("coordinate", e.axes, "axes");
      const axes = own.length ? [...own, ...(truth ? [] : latent), index] : [];
      // One coordinate is drawn against the latent, or the index
      const defaults = own.length > 1 ? [0, 1] : [1, 0];
      const shown = {key, axes, defaults, dimensions: own.length, errors: {}, status: "ok"};
      if (!e) return {...shown, title: truth ? "True latent" : "Observations",
        note: `${own.length} dimension${own.length > 1 ? "s" : ""}`};
      const several = new Set(cloud.embeddings.map((other) => other.trial)).size > 1;
      const trial = several ? ` · trial ${e.trial}` : "";
      return {...shown, title: e.title, look: this.index.looks[e.method], status: e.status,
        ellipses: e.ellipses.length ? e.ellipses : null, background: e.background,
        message: e.message, scores: e.scores, errors: e.errors,
        note: e.axes.length
          ? `${e.status === "ok" ? "" : `⚠ ${e.status.replaceAll("_", " ")} · `}` +
            `${this.shortScores(e)}${trial}`
          : `failed${trial}`};
    }

    // Turn two-dimensional embeddings to match the first: their orientation has no meaning
    align(shown) {
      const [first, ...others] = shown.filter((found) => found.dimensions === 2);
      const plane = ({axes}) => axes.slice(0, 2).map((axis) => axis.values);
      for (const other of others) {
        const {axes, ...turn} = nldr.explorer.Plot.turned(plane(other), plane(first));
        axes.forEach((values, k) => { other.axes[k].values = values; });
        if (other.background) other.background = {...other.background, turn};
        if (!other.ellipses) continue;
        const [a, b, angles] = other.ellipses;
        other.ellipses = [a, b, angles.map((old) => turn.angle + turn.flip * old)];
      }
    }

    shortScores({means}) {
      const parts = [["trustworthiness", "T"], ["continuity", "C"]]
        .filter(([kind]) => kind in means)
        .map(([kind, letter]) => `${letter} ${(1 - means[kind]).toFixed(3)}`);
      return parts.join(" · ");
    }

    // --- colors -----------------------------------------------------------------------------

    readTheme() {
      this.paperColor = colors.background(this.$panels);
      const style = getComputedStyle(this.$panels);
      this.paper = style.backgroundColor;
      this.ink = style.color;
    }

    showColors() {
      const {cloud, form} = this, chosen = form.color.value;
      const isError = chosen in words.ERRORS;
      // Labels, or a feature that holds categories
      const column = cloud.columns[/^column(\d+)$/.exec(chosen)?.[1]];
      const classes = chosen === "label" ? cloud.classes : column?.classes;
      const kind = chosen === "distortion" ? "stretch" : isError ? "error"
        : classes ? "label" : chosen === "none" ? chosen : "value";
      const palette = colors.palette(kind, this.paperColor);
      const title = form.color.selectedOptions[0].text;
      const scale = {chosen, kind, palette, title, low: 0, high: 1};
      if (kind === "label") {
        scale.classes = classes;
        scale.labels = column ? column.values : cloud.labels;
        scale.counts = new Uint32Array(classes.length);
        for (const label of scale.labels) scale.counts[label]++;
      } else if (chosen === "index") {
        scale.high = cloud.n - 1;
      } else if (kind === "value") {
        const values = Explorer.valuesOf(cloud, chosen);
        [scale.low, scale.high] = colors.quantiles([values], [0.01, 0.99]);
      } else if (isError) {
        const known = this.panels.map((panel) => panel.shown.errors[chosen]).filter(Boolean);
        const [low, high] = colors.quantiles(known, [0.02, 0.98]);
        scale.high = kind === "stretch"
          ? [1, 2, this.index.stretch].find((end) => end >= Math.max(-low, high)) ?? this.index.stretch
          : colors.round(high || 0.01);
        if (kind === "stretch") scale.low = -scale.high;
      }
      this.scale = scale;
      this.namesShown = chosen === "label" && cloud.classes.length > 2 && cloud.classes.length <= 20;
      this.painted = new Map();
      this.drawLegend();
      for (const panel of this.panels) panel.draw();
    }

    // Values of "latent1", the first latent coordinate, or "column0", the first feature
    static valuesOf(cloud, chosen) {
      const number = Number(chosen.replace(/\D+/, ""));
      return chosen.startsWith("column") ? cloud.columns[number].values : cloud.latent[number - 1];
    }

    drawLegend() {
      words.legend(this.$legend, this.scale, (code, add) => {
        const flags = add && this.selected ? this.selected.slice() : new Uint8Array(this.cloud.n);
        this.scale.labels.forEach((label, i) => { if (label === code) flags[i] = 1; });
        this.select(flags);
      });
    }

    // Codes and order of the points of a panel; errors have those of their panel
    paint(panel) {
      const {cloud, scale} = this;
      const own = scale.chosen in words.ERRORS;
      const key = own ? panel.shown.key : "";
      if (!this.painted.has(key)) {
        let codes;
        if (scale.kind === "label") codes = Uint8Array.from(scale.labels, (l) => l % 240);
        else if (scale.kind === "none") codes = new Uint8Array(cloud.n);
        else {
          const values = own ? panel.shown.errors[scale.chosen]
            : scale.chosen === "index" ? Float32Array.from({length: cloud.n}, (_, i) => i)
            : Explorer.valuesOf(cloud, scale.chosen);
          codes = values ? colors.codes(values, scale.low, scale.high)
            : new Uint8Array(cloud.n).fill(colors.MISSING);
        }
        // Large errors lie on top, and small classes on large ones
        const ranks = own ? codes : scale.kind === "label"
          ? Uint8Array.from(codes, (code) => 40 - Math.log2(scale.counts[code])) : null;
        this.painted.set(key, {codes, order: Explorer.ordered(cloud.n, ranks)});
      }
      return {...this.painted.get(key), palette: scale.palette};
    }

    // Points from the lowest to the highest rank, missing values (255) before all
    static ordered(n, ranks) {
      if (!ranks) return Int32Array.from({length: n}, (_, i) => i);
      const starts = new Uint32Array(257), order = new Int32Array(n);
      for (const rank of ranks) starts[((rank + 1) & 255) + 1]++;
      for (let r = 0; r < 256; r++) starts[r + 1] += starts[r];
      ranks.forEach((rank, i) => { order[starts[(rank + 1) & 255]++] = i; });
      return order;
    }

    // --- marking and looking ----------------------------------------------------------------

    // Do something in the next frame, the latest of its kind only
    soon(kind, act) {
      if (!this.tasks.size) requestAnimationFrame(() => {
        const tasks = [...this.tasks.values()];
        this.tasks.clear();
        for (const task of tasks) task();
      });
      this.tasks.set(kind, act);
    }

    mark(panel, polygon, add, last = false) {
      if (!this.adding) this.adding = add && this.selected ? this.selected.slice() : "none";
      const flags = add && this.adding !== "none" ? this.adding.slice() : new Uint8Array(this.cloud.n);
      if (last) this.adding = null;
      panel.plot.mark(polygon, flags);
      this.select(flags.includes(1) || !last ? flags : null);
    }

    toggle(index) {
      const flags = this.selected ? this.selected.slice() : new Uint8Array(this.cloud.n);
      flags[index] ^= 1;
      this.select(flags.includes(1) ? flags : null);
    }

    clear() { this.select(null); }

    select(flags) {
      if (!flags && !this.selected) return;
      this.selected = flags;
      for (const panel of this.panels) panel.draw();
      clearTimeout(this.later);
      this.later = setTimeout(() => this.showSelection(), 80);
    }

    showSelection() {
      this.$summary.textContent = words.summary(this.cloud, this.selected);
      this.$clear.hidden = !this.selected;
      words.table(this.$scores, this.panels, this.index.metrics, this.selected);
      for (const button of this.$legend.querySelectorAll("[data-class]")) {
        const code = Number(button.dataset.class);
        const marked = this.selected && this.scale.labels.every(
          (label, i) => (label === code) === Boolean(this.selected[i]));
        button.setAttribute("aria-pressed", String(Boolean(marked)));
      }
    }

    // Look at a point: `place` is that of the pointer in the panel, none if a key was pressed
    hover(index, panel, place = null) {
      if (index === this.hovered && index < 0) return;
      this.hovered = index;
      if (index >= 0) this.focused = index;
      for (const other of this.panels) other.drawOverlay();
      this.$tip.hidden = index < 0;
      if (index < 0) return;
      words.tooltip(this.$tip, this.cloud, index, panel, this.sheet);
      if (!place) this.$spoken.textContent = words.spoken(this.cloud, index, panel);
      // Beside the point, inside the window
      const [x, y] = panel.placeOf(index), {offsetWidth: w, offsetHeight: h} = this.$tip;
      const left = x + 18 + w > innerWidth ? x - 18 - w : x + 18;
      this.$tip.style.left = `${Math.min(Math.max(left, 4), innerWidth - w - 4)}px`;
      this.$tip.style.top = `${Math.min(Math.max(y - h / 2, 4), innerHeight - h - 4)}px`;
    }

    // --- address and theme ------------------------------------------------------------------

    remember() {
      const {form} = this, keys = this.chosen;
      const parts = {data: form.data.value, methods: keys.join(","), trial: form.trial.value,
        color: form.color.value};
      const query = Object.entries(parts).map(
        ([name, value]) => `${name}=${encodeURIComponent(value).replaceAll("%2C", ",")}`);
      if (!form.align.checked) query.push("align=0");
      history.replaceState(history.state, "", `#/explorer?${query.join("&")}`);
    }

    repaint() {
      this.readTheme();
      if (this.cloud) this.showColors();
    }

    close() {
      for (const panel of this.panels) panel.remove();
      this.panels = [];
      clearTimeout(this.later);
    }
  }

  // --- events -------------------------------------------------------------------------------

  let shown = null;

  document.addEventListener("page", async (event) => {
    shown?.close();
    shown = null;
    const element = event.detail.element.querySelector("[data-explorer]");
    if (!element) return;
    const index = await data.index();
    if (element.isConnected) shown = new Explorer(element, event.detail.params, index);
    nldr.explorer.shown = shown;
  });
  const repaint = () => shown?.repaint();
  document.addEventListener("scroll", () => shown?.hover(-1, null), {passive: true});
  document.addEventListener("theme", repaint);
  for (const query of ["(prefers-color-scheme: dark)", "print"])
    matchMedia(query).addEventListener("change", repaint);
})();
