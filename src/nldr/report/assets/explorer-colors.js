// Colors of points in the embedding explorer: palettes for both themes, legend, code of each point.
//
// A point has a code from 0 to 255, its place in a palette of 256 colors. 255 means no value.
"use strict";

nldr.explorer.colors = (() => {
  const MISSING = 255;
  const TOP = 254; // largest code of a value
  // As in the figures: Okabe & Ito's colors and more, each as different as possible from those
  // before it, for readers with and without red-green color blindness
  const LABELS = [
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#882255", "#DDCC33",
    "#000000", "#332288", "#87D9A0", "#B4B4A5", "#875A4B", "#8778FF", "#C31E96", "#4B5A00",
    "#C8C8FF", "#FF9C8F", "#005F6B", "#5A0FFF",
  ];
  // Perceptually uniform maps, without the end that the background swallows: viridis for values,
  // magma for errors, so that large errors stand out; blue over gray to orange for stretching
  const MAPS = {
    light: {
      value: ["#440154", "#482878", "#3e4a89", "#30698e", "#25848e", "#1fa088", "#38b977",
        "#73d056", "#bddf26"],
      error: ["#f0c9a0", "#fc8a62", "#ee5b5e", "#cc3f71", "#a1307e", "#762181", "#4e117b",
        "#221150", "#050416"],
      stretch: ["#08408a", "#2f74b8", "#7aa6cf", "#bdbdbd", "#e0a163", "#c8690f", "#7f3400"],
    },
    dark: {
      value: ["#472a7a", "#3e4c8a", "#306a8e", "#25848e", "#1f9f88", "#37b878", "#6ece58",
        "#b5de2b", "#fde725"],
      error: ["#5b2a7a", "#882781", "#ab337c", "#d0416f", "#ed5a5f", "#fa815f", "#feac76",
        "#fed597", "#fcfdbf"],
      stretch: ["#8fd0ff", "#4a9be0", "#39699a", "#646464", "#a2682b", "#e89232", "#ffd08a"],
    },
  };

  // --- colors as numbers --------------------------------------------------------------------

  const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  const mix = (a, b, t) => a.map((v, i) => v + (b[i] - v) * t);
  const css = (color) => `rgb(${color.map(Math.round).join(" ")})`;
  // As a pixel of ImageData on a little-endian machine
  const pixel = ([r, g, b]) =>
    ((255 << 24) | (Math.round(b) << 16) | (Math.round(g) << 8) | Math.round(r)) >>> 0;

  function luminance(color) {
    const [r, g, b] = color.map((v) => {
      const c = v / 255;
      return c > 0.04045 ? ((c + 0.055) / 1.055) ** 2.4 : c / 12.92;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }

  // The color of the page behind a plot, as three numbers
  function background(element) {
    const context = document.createElement("canvas").getContext("2d");
    context.fillStyle = getComputedStyle(element).backgroundColor;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
  }

  const isDark = (paper) => luminance(paper) < 0.2;

  function interpolated(stops, t) {
    const place = Math.min(Math.max(t, 0), 1) * (stops.length - 1);
    const i = Math.min(Math.floor(place), stops.length - 2);
    return mix(rgb(stops[i]), rgb(stops[i + 1]), place - i);
  }

  // Dark colors of the palette are made lighter, and light ones darker, until they show
  function labelColor(code, paper) {
    const color = rgb(LABELS[code % LABELS.length]);
    if (isDark(paper)) {
      if (code % LABELS.length === 8) return [255, 255, 255];
      return luminance(color) < 0.12 ? mix(color, [255, 255, 255], 0.4) : color;
    }
    return luminance(color) > 0.6 ? mix(color, [0, 0, 0], 0.2) : color;
  }

  // 256 colors, and the same faded towards the paper for points that are not selected
  function palette(kind, paper) {
    const theme = isDark(paper) ? "dark" : "light";
    const gray = isDark(paper) ? [110, 112, 116] : [176, 178, 182];
    const colors = Array.from({length: 256}, (_, code) => {
      if (code === MISSING || kind === "none") return gray;
      if (kind === "label") return labelColor(code, paper);
      return interpolated(MAPS[theme][kind], code / TOP);
    });
    const faded = colors.map((color) => mix(mix(color, gray, 0.6), paper, 0.72));
    return {
      css: colors.map(css),
      pixels: Uint32Array.from(colors, pixel),
      faded: Uint32Array.from(faded, pixel),
      paper: pixel(paper),
    };
  }

  // --- codes --------------------------------------------------------------------------------

  // Values between `low` and `high` as codes; those beyond have the code of the end
  function codes(values, low, high) {
    const result = new Uint8Array(values.length);
    const factor = TOP / (high - low || 1);
    for (let i = 0; i < values.length; i++) {
      const v = values[i];
      result[i] = Number.isNaN(v)
        ? MISSING
        : Math.min(Math.max(Math.round((v - low) * factor), 0), TOP);
    }
    return result;
  }

  // Values below which a share of the finite ones lies
  function quantiles(arrays, shares) {
    const known = arrays.flatMap((values) => {
      const step = Math.ceil(values.length / 5000);
      return Array.from(values).filter((v, i) => i % step === 0 && !Number.isNaN(v));
    });
    const sorted = Float32Array.from(known).sort();
    return shares.map((share) =>
      sorted.length ? sorted[Math.round(share * (sorted.length - 1))] : 0);
  }

  // The smallest number not below `high` of which a quarter is 1, 2, 2.5 or 5 times a power of ten
  function round(high) {
    const step = high / 4, power = 10 ** Math.floor(Math.log10(step));
    return 4 * power * [1, 2, 2.5, 5, 10].find((factor) => factor * power >= step * 0.999);
  }

  return {MISSING, background, codes, palette, quantiles, round};
})();
