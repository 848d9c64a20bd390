// Choices of the embedding explorer: datasets, colors and methods, and what is chosen at first.
"use strict";

(() => {
  const {make, words} = nldr.explorer;
  const MAX_PANELS = 12;
  const DEFAULT_PANELS = 6;
  const MANY = 12; // choices from which on there is a search

  nldr.explorer.Choices = class Choices {
    static TRUE_POINTS = "latent"; // panels that are no embeddings
    static OBSERVED = "data";

    constructor(element, index) {
      this.index = index;
      const find = (name) => element.querySelector(`[data-${name}]`);
      for (const name of ["controls", "list", "count", "legend", "summary", "clear", "note",
        "panels", "scores", "methods"]) this[`$${name}`] = find(name);
      const {data, trial, color, mode, align} = this.$controls.elements;
      this.form = {data, trial, color, mode, align};
      const {dataset, method} = this.$controls.elements;
      this.search = {dataset, method};
      dataset.addEventListener("input", () => this.findDatasets());
      dataset.addEventListener("change", () => this.takeDataset());
      method.addEventListener("input", () => this.findMethods());
    }

    // --- search -----------------------------------------------------------------------------

    // Whether a text has all words that were typed
    static matches(text, {value}) {
      return value.toLowerCase().split(/\s+/).every((word) => text.toLowerCase().includes(word));
    }

    findDatasets() {
      const {data} = this.form;
      for (const option of data.options)
        option.hidden = !Choices.matches(option.text, this.search.dataset);
      for (const group of data.querySelectorAll("optgroup"))
        group.hidden = [...group.children].every((option) => option.hidden);
    }

    // After Enter, the first dataset that was found is shown
    takeDataset() {
      const {data} = this.form;
      const first = [...data.options].find((option) => !option.hidden && !option.disabled);
      if (!first || !data.selectedOptions[0]?.hidden) return;
      data.value = first.value;
      data.dispatchEvent(new Event("change"));
    }

    findMethods() {
      for (const label of this.$list.children)
        label.hidden = !Choices.matches(label.textContent, this.search.method);
    }

    // --- dataset ----------------------------------------------------------------------------

    fillDatasets() {
      // Clouds by cell, cells by the title up to the first comma
      this.cells = new Map();
      for (const cloud of this.index.clouds)
        this.cells.set(cloud.cell, [...(this.cells.get(cloud.cell) ?? []), cloud]);
      const groups = new Map();
      for (const [cell, [first]] of this.cells) {
        const head = first.title.split(", ")[0];
        const option = new Option(first.title + (first.n ? "" : " (not on this page)"), cell);
        option.disabled = !first.n;
        groups.set(head, [...(groups.get(head) ?? []), option]);
      }
      for (const [label, options] of groups) {
        options.sort((a, b) => a.text.length - b.text.length);
        this.form.data.append(
          ...(options.length > 1 ? [make("optgroup", {label}, ...options)] : options));
      }
      this.form.data.value = this.richest();
      this.search.dataset.hidden = this.cells.size < MANY;
    }

    // The cell with most methods is shown first, preferably one with images
    richest() {
      const methods = (clouds) => new Set(clouds.flatMap((c) => c.embeddings.map((e) => e.method)));
      const size = ([, clouds]) => methods(clouds).size * (clouds[0].sheet == null ? 1 : 2);
      return [...this.cells].reduce((a, b) => (size(b) > size(a) ? b : a))[0];
    }

    // One embedding per method cell: that of the trial, or the only one
    embeddingsOf(cloud, trial) {
      const found = new Map();
      for (const embedding of cloud.embeddings) {
        const other = found.get(embedding.cell);
        if (!other || embedding.trial === trial) found.set(embedding.cell, embedding);
      }
      return found;
    }

    fillColors(wanted) {
      const {cloud, form} = this, options = [];
      if (cloud.labels) options.push(["label", "label"]);
      cloud.latent.forEach((_, k) => options.push([`latent${k + 1}`,
        cloud.latent.length > 1 ? `latent ${k + 1}` : "latent"]));
      for (const [kind, name] of Object.entries(words.ERRORS))
        if (cloud.embeddings.some((e) => e.errors[kind])) options.push([kind, name]);
      cloud.columns.forEach(({name}, k) => options.push([`column${k}`, name]));
      options.push(["index", "index of the point"], ["none", "one color"]);
      form.color.replaceChildren(...options.map(([value, text]) => new Option(text, value)));
      // Two classes, as of a torn manifold, tell less than the latent
      const latent = cloud.latent.length && !(cloud.labels && cloud.classes.length > 2);
      const usual = latent ? "latent1" : cloud.labels ? "label" : options[0][0];
      form.color.value = options.some(([value]) => value === wanted) ? wanted : usual;
    }

    fillMethods() {
      const {found, cloud} = this, boxes = [];
      const add = (key, title, look, word) => {
        const swatch = make("span", {class: "explorer-swatch", "aria-hidden": "true"});
        if (look) swatch.style.background = look[0];
        const box = make("input", {type: "checkbox", value: key});
        boxes.push(box);
        return make("label", {}, box, swatch, ` ${title} `, make("small", {text: word}));
      };
      const rows = [];
      if (cloud.latent.length) rows.push(add(Choices.TRUE_POINTS, "True latent", null, ""));
      if (cloud.data.length) rows.push(add(Choices.OBSERVED, "Observations", null, ""));
      for (const [cell, e] of found)
        rows.push(add(cell, e.title, this.index.looks[e.method],
          e.axes.length ? this.shortScores(e) : `✗ ${e.status.replaceAll("_", " ")}`));
      this.$list.replaceChildren(...rows);
      this.boxes = boxes;
      this.search.method.hidden = boxes.length < MANY;
      this.findMethods();
      const known = (this.wanted ?? []).filter((key) => boxes.some((box) => box.value === key));
      // What was asked for is shown; of the methods of other data, if there are some to compare
      const enough = known.length > (this.opened ? 1 : 0) || this.wanted?.length === 0;
      this.opened = true;
      this.check(enough ? known : this.best(DEFAULT_PANELS));
    }

    // The truth, the most trustworthy setting of each method, then other settings; failures last
    best(count) {
      const {TRUE_POINTS, OBSERVED} = Choices, known = this.boxes.map((box) => box.value);
      const telling = this.cloud.latent.length > 1 && !this.latentShared();
      const truth = telling ? [TRUE_POINTS] : known.filter((key) => key === OBSERVED);
      const loss = ([, e]) => (e.means.trustworthiness ?? 1) + (e.axes.length ? 0 : 2);
      const sorted = [...this.found].sort((a, b) => loss(a) - loss(b));
      const methods = new Set(), first = [], further = [];
      for (const [cell, {method}] of sorted) {
        (methods.has(method) ? further : first).push(cell);
        methods.add(method);
      }
      return [...truth, ...first, ...further].slice(0, count);
    }

    // Whether points share their latent coordinates, as views of several objects share the angle
    latentShared() {
      const {latent, n} = this.cloud, seen = new Set();
      for (let i = 0; i < n; i++) seen.add(latent.map((values) => values[i]).join());
      return seen.size < 0.5 * n;
    }

    check(keys) {
      for (const box of this.boxes) box.checked = keys.includes(box.value);
      this.countBoxes();
    }

    countBoxes() {
      const checked = this.boxes.filter((box) => box.checked);
      const full = checked.length >= MAX_PANELS;
      for (const box of this.boxes) box.disabled = full && !box.checked;
      this.$count.textContent = `(${checked.length} of ${this.boxes.length}` +
        `${full && checked.length < this.boxes.length ? ", the maximum" : ""})`;
    }

    // Check the methods that a button names
    choose(name) {
      const first = this.boxes.map((box) => box.value).slice(0, MAX_PANELS);
      this.check({best: this.best(DEFAULT_PANELS), first, none: []}[name]);
    }

    get chosen() {
      return this.boxes.filter((box) => box.checked).map((box) => box.value);
    }
  };
})();
