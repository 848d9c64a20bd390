// One scatter plot of the embedding explorer: geometry, drawing, finding points.
//
// Points are written into the pixels of an image, disc by disc: on one core without a graphics card,
// 70 000 points take 13 ms, with fillRect() 180 ms and with arc() 300 ms. (Bokeh 3.9 needs seconds for
// each change of a selection in four plots of that size.)
// A second canvas above has what changes often: the point under the pointer, and the brush.
"use strict";

nldr.explorer.Plot = class Plot {
  static CELL = 16; // side of a cell of the grid in which points are looked up, CSS pixels
  static MARGIN = 14; // around the points, CSS pixels
  static MAX_ELLIPSES = 5000; // more take too long to zoom

  constructor(base, overlay) {
    this.base = base;
    this.overlay = overlay;
    this.zoom = 1;
    this.center = [0.5, 0.5]; // what is in the middle, in units of the ranges
    this.n = 0;
    this.discs = new Map();
  }

  // --- geometry -----------------------------------------------------------------------------

  setPoints(xs, ys, equal, {ellipses = null, background = null} = {}) {
    this.xs = xs;
    this.ys = ys;
    this.equal = equal;
    this.n = xs.length;
    this.sx = new Float32Array(this.n); // place on the screen, CSS pixels
    this.sy = new Float32Array(this.n);
    this.ellipses = ellipses;
    this.background = background;
    this.xRange = Plot.range(xs);
    this.yRange = Plot.range(ys);
    this.place();
  }

  static range(values) {
    let low = Infinity, high = -Infinity;
    for (const v of values) {
      if (v < low) low = v;
      if (v > high) high = v;
    }
    return low < high ? [low, high] : [low - 1, low + 1];
  }

  // Coordinates turned, and reflected where that helps, to lie as near to others as they can
  // (orthogonal Procrustes problem in the plane, both centered; sizes are left as they are)
  static turned([xs, ys], [us, vs]) {
    const mean = (values) => values.reduce((sum, v) => sum + v, 0) / values.length;
    const [mx, my, mu, mv] = [xs, ys, us, vs].map(mean);
    let xu = 0, xv = 0, yu = 0, yv = 0;
    for (let i = 0; i < xs.length; i++) {
      const x = xs[i] - mx, y = ys[i] - my, u = us[i] - mu, v = vs[i] - mv;
      xu += x * u;
      xv += x * v;
      yu += y * u;
      yv += y * v;
    }
    const flip = Math.hypot(xu - yv, xv + yu) > Math.hypot(xu + yv, xv - yu) ? -1 : 1;
    const angle = Math.atan2(xv - flip * yu, xu + flip * yv);
    const c = Math.cos(angle), s = Math.sin(angle);
    const at = (a, b) => xs.map((x, i) => a * (x - mx) + b * flip * (ys[i] - my));
    return {axes: [at(c, -s), at(s, c)], angle, flip, mean: [mx, my]};
  }

  resize(width, height) {
    this.width = width;
    this.height = height;
    this.ratio = Math.min(window.devicePixelRatio || 1, 2);
    for (const canvas of [this.base, this.overlay]) {
      canvas.width = Math.round(width * this.ratio);
      canvas.height = Math.round(height * this.ratio);
    }
    this.image = this.faded = this.under = null;
    this.place();
  }

  // Compute where each point lies on the screen
  place() {
    if (!this.n || !this.width) return;
    const [x0, x1] = this.xRange, [y0, y1] = this.yRange;
    const inner = [this.width - 2 * Plot.MARGIN, this.height - 2 * Plot.MARGIN];
    let fx = inner[0] / (x1 - x0), fy = inner[1] / (y1 - y0);
    if (this.equal) fx = fy = Math.min(fx, fy);
    fx *= this.zoom;
    fy *= this.zoom;
    const cx = x0 + this.center[0] * (x1 - x0), cy = y0 + this.center[1] * (y1 - y0);
    const {xs, ys, sx, sy, n} = this, mx = this.width / 2, my = this.height / 2;
    for (let i = 0; i < n; i++) {
      sx[i] = mx + (xs[i] - cx) * fx;
      sy[i] = my - (ys[i] - cy) * fy;
    }
    this.factors = [fx * (x1 - x0), fy * (y1 - y0)];
    this.grid = this.faded = this.under = this.sparse = this.names = null;
    this.unit = this.equal ? fx : 0; // pixels to a unit, where both axes have the same
    this.middle = [cx, cy];
  }

  // Zoom, so that the point (x, y) of the screen stays where it is
  zoomBy(factor, x = this.width / 2, y = this.height / 2) {
    const zoom = Math.min(Math.max(this.zoom * factor, 0.5), 200);
    const share = 1 - this.zoom / zoom;
    this.move(-(x - this.width / 2) * share, -(y - this.height / 2) * share);
    this.zoom = zoom;
    this.place();
  }

  // Move the view by some pixels; the points are placed by the caller
  move(dx, dy) {
    this.center[0] -= dx / this.factors[0];
    this.center[1] += dy / this.factors[1];
  }

  pan(dx, dy) {
    this.move(dx, dy);
    this.place();
  }

  reset() {
    this.zoom = 1;
    this.center = [0.5, 0.5];
    this.place();
  }

  // --- drawing ------------------------------------------------------------------------------

  // Radius of a point in CSS pixels: smaller where there are many to the area
  radius() {
    const crowd = (this.n / 500) * (320 / this.width) ** 2;
    const size = Math.min(Math.max(3.4 * crowd ** -0.3, 1), 3.6);
    return size * Math.min(1 + 0.35 * Math.log2(Math.max(this.zoom, 1)), 2.2);
  }

  // Whether most points have a place of their own on the screen
  isSparse() {
    if (this.n > 2500) return false;
    if (this.sparse === null) {
      const side = 2 * this.radius(), taken = new Set();
      for (let i = 0; i < this.n; i++)
        taken.add(Math.floor(this.sx[i] / side) * 10000 + Math.floor(this.sy[i] / side));
      this.sparse = taken.size > 0.55 * this.n;
    }
    return this.sparse;
  }

  // A disc as pixels that it covers wholly, and those at its edge with their share
  disc(radius, stride) {
    const key = `${radius} ${stride}`;
    if (this.discs.has(key)) return this.discs.get(key);
    const reach = Math.ceil(radius + 1), core = [], edge = [], shares = [];
    for (let y = -reach; y <= reach; y++) {
      for (let x = -reach; x <= reach; x++) {
        const share = Math.min(Math.max(radius + 0.5 - Math.hypot(x, y), 0), 1);
        if (share > 0.95) core.push(y * stride + x);
        else if (share > 0.1) {
          edge.push(y * stride + x);
          shares.push(Math.round(share * 256));
        }
      }
    }
    const made = {reach, core: Int32Array.from(core), edge: Int32Array.from(edge),
      shares: Int32Array.from(shares)};
    if (this.discs.size > 40) this.discs.clear();
    this.discs.set(key, made);
    return made;
  }

  // Draw all points; with a selection all of them faded, and the selected ones above. `order` has
  // those with larger values last
  draw({codes, order, palette, selected}) {
    if (!this.n || !this.width) return;
    const context = this.base.getContext("2d");
    if (!this.image) {
      this.image = context.createImageData(this.base.width, this.base.height);
      this.pixels = new Uint32Array(this.image.data.buffer);
    }
    const radius = this.radius() * this.ratio;
    const disc = this.disc(radius, this.base.width);
    // A thin border of the paper's color keeps points apart, where they do not cover each other
    const halo = this.isSparse() ? this.disc(radius + 0.8 * this.ratio, this.base.width) : null;
    if (selected) this.drawFaded(order, codes, palette, disc);
    else this.clear(codes, palette);
    this.stamp(order, codes, palette.pixels, selected, disc, halo, palette.paper);
    context.putImageData(this.image, 0, 0);
  }

  // While a reader marks points, only those change: the faded ones are drawn once and copied
  drawFaded(order, codes, palette, disc) {
    const kept = this.faded;
    if (kept?.codes === codes && kept.palette === palette) {
      this.pixels.set(kept.pixels);
      return;
    }
    this.clear(codes, palette);
    this.stamp(order, codes, palette.faded, null, disc, null);
    this.faded = {codes, palette, pixels: this.pixels.slice()};
  }

  // The paper, with what lies under the points; kept as pixels
  clear(codes, palette) {
    const ellipses = this.n <= Plot.MAX_ELLIPSES ? this.ellipses : null;
    if (!this.unit || !(ellipses || this.background)) {
      this.pixels.fill(palette.paper);
      return;
    }
    if (this.under?.codes !== codes || this.under.palette !== palette) {
      const {width, height} = this.base;
      const context = new OffscreenCanvas(width, height).getContext("2d", {willReadFrequently: true});
      const under = nldr.explorer.under;
      context.fillStyle = under.css(palette.paper);
      context.fillRect(0, 0, width, height);
      if (this.background) under.background(context, this);
      if (ellipses) under.ellipses(context, this, codes, palette);
      const {data} = context.getImageData(0, 0, width, height);
      this.under = {codes, palette, pixels: new Uint32Array(data.buffer)};
    }
    this.pixels.set(this.under.pixels);
  }

  // One pass over the points, or over those whose flag is set
  stamp(order, codes, colors, flags, disc, halo, paper) {
    const {sx, sy, ratio, pixels} = this;
    const w = this.base.width, h = this.base.height, reach = (halo ?? disc).reach;
    for (let k = 0; k < order.length; k++) {
      const i = order[k];
      if (flags && !flags[i]) continue;
      const x = (sx[i] * ratio) | 0, y = (sy[i] * ratio) | 0;
      if (x < reach || y < reach || x >= w - reach || y >= h - reach) continue;
      const at = y * w + x;
      if (halo) Plot.put(pixels, at, halo, paper);
      Plot.put(pixels, at, disc, colors[codes[i]]);
    }
  }

  static put(pixels, at, {core, edge, shares}, color) {
    for (let k = 0; k < core.length; k++) pixels[at + core[k]] = color;
    // Two channels of the pixel are blended at a time
    const even = color & 0xff00ff, odd = (color >>> 8) & 0xff;
    for (let k = 0; k < edge.length; k++) {
      const place = at + edge[k], old = pixels[place], share = shares[k], rest = 256 - share;
      const a = (((old & 0xff00ff) * rest + even * share) >>> 8) & 0xff00ff;
      const b = (((old >>> 8) & 0xff) * rest + odd * share) & 0xff00;
      pixels[place] = (0xff000000 | a | b) >>> 0;
    }
  }

  // Where the names of classes stand: at the median of their points
  placeNames(count, labels) {
    const places = Array.from({length: count}, () => [[], []]);
    const step = Math.ceil(this.n / 5000);
    for (let i = 0; i < this.n; i += step) {
      places[labels[i]][0].push(this.sx[i]);
      places[labels[i]][1].push(this.sy[i]);
    }
    const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
    return places.map((place) => place.map(median));
  }

  drawNames(classes, labels, ink, paper) {
    const context = this.base.getContext("2d");
    this.names ??= this.placeNames(classes.length, labels);
    context.save();
    context.scale(this.ratio, this.ratio);
    Object.assign(context, {font: "600 12px system-ui, sans-serif", textAlign: "center",
      textBaseline: "middle", lineJoin: "round", lineWidth: 4, strokeStyle: paper, fillStyle: ink});
    this.names.forEach(([x, y], label) => {
      if (x === undefined) return; // none of the points that were looked at
      const name = classes[label].slice(0, 16);
      const half = context.measureText(name).width / 2 + 2;
      const within = Math.max(Math.min(x, this.width - half), half);
      context.strokeText(name, within, y);
      context.fillText(name, within, y);
    });
    context.restore();
  }

  // The point that is looked at, and the brush
  drawOverlay({hovered, brush, ink, paper}) {
    const context = this.overlay.getContext("2d");
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    if (brush?.length > 1) {
      context.beginPath();
      brush.forEach(([x, y], k) => (k ? context.lineTo(x, y) : context.moveTo(x, y)));
      context.closePath();
      Object.assign(context, {fillStyle: ink, globalAlpha: 0.08});
      context.fill();
      Object.assign(context, {strokeStyle: ink, globalAlpha: 0.9, lineWidth: 1});
      context.setLineDash([4, 3]);
      context.stroke();
      context.setLineDash([]);
    }
    if (hovered < 0 || hovered >= this.n) return;
    context.globalAlpha = 1;
    for (const [width, color] of [[5, paper], [2.2, ink]]) {
      context.beginPath();
      context.arc(this.sx[hovered], this.sy[hovered], this.radius() + 4, 0, 2 * Math.PI);
      Object.assign(context, {lineWidth: width, strokeStyle: color});
      context.stroke();
    }
  }

  // --- finding points -----------------------------------------------------------------------

  // Points sorted by the cell of the screen in which they lie; `starts` has where each cell begins
  makeGrid() {
    const {CELL} = Plot;
    const columns = Math.ceil(this.width / CELL), rows = Math.ceil(this.height / CELL);
    const cells = new Int32Array(this.n), starts = new Int32Array(columns * rows + 1);
    for (let i = 0; i < this.n; i++) {
      const c = Math.floor(this.sx[i] / CELL), r = Math.floor(this.sy[i] / CELL);
      const inside = c >= 0 && r >= 0 && c < columns && r < rows;
      cells[i] = inside ? r * columns + c : -1;
      if (inside) starts[cells[i] + 1]++;
    }
    for (let c = 0; c < columns * rows; c++) starts[c + 1] += starts[c];
    const next = starts.slice(), points = new Int32Array(starts[columns * rows]);
    for (let i = 0; i < this.n; i++) if (cells[i] >= 0) points[next[cells[i]]++] = i;
    this.grid = {columns, rows, starts, points};
  }

  // The nearest point within a cell's side, or -1; selected ones win
  nearest(x, y, selected) {
    if (!this.n) return -1;
    if (!this.grid) this.makeGrid();
    const {CELL} = Plot, {columns, rows, starts, points} = this.grid;
    const c = Math.floor(x / CELL), r = Math.floor(y / CELL);
    let best = -1, smallest = CELL * CELL;
    for (let row = Math.max(r - 1, 0); row <= Math.min(r + 1, rows - 1); row++) {
      for (let col = Math.max(c - 1, 0); col <= Math.min(c + 1, columns - 1); col++) {
        const cell = row * columns + col;
        for (let k = starts[cell]; k < starts[cell + 1]; k++) {
          const i = points[k];
          let d = (this.sx[i] - x) ** 2 + (this.sy[i] - y) ** 2;
          if (selected && !selected[i]) d = d * 2 + 9;
          if (d < smallest) [best, smallest] = [i, d];
        }
      }
    }
    return best;
  }

  // The nearest point to the left, right, above or below; those straight ahead are preferred
  neighbor(from, dx, dy) {
    let best = from, smallest = Infinity;
    for (let i = 0; i < this.n; i++) {
      const x = this.sx[i] - this.sx[from], y = this.sy[i] - this.sy[from];
      const ahead = x * dx + y * dy, aside = Math.abs(x * dy - y * dx);
      if (ahead <= 0.01 || aside > 2 * ahead) continue;
      const d = Math.hypot(ahead, 2 * aside);
      if (d < smallest) [best, smallest] = [i, d];
    }
    return best;
  }

  // Mark the points inside a polygon of the screen in `flags`
  mark(polygon, flags) {
    const [xs, ys] = [0, 1].map((k) => polygon.map((corner) => corner[k]));
    const box = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    for (let i = 0; i < this.n; i++) {
      const x = this.sx[i], y = this.sy[i];
      if (x < box[0] || x > box[1] || y < box[2] || y > box[3]) continue;
      let inside = false;
      for (let a = 0, b = xs.length - 1; a < xs.length; b = a++) {
        if (ys[a] > y !== ys[b] > y && x < xs[a] + ((xs[b] - xs[a]) * (y - ys[a])) / (ys[b] - ys[a]))
          inside = !inside;
      }
      if (inside) flags[i] = 1;
    }
  }
};
