// What lies under the points of a plot: where a method is uncertain, and ellipses of its points.
"use strict";

nldr.explorer.under = (() => {
  const GRAY = 128, OPACITY = 115; // of 255, where the method knows least
  const SHARE = 0.22; // opacity of an ellipse
  const DEVIATIONS = 2; // half axes of an ellipse

  const css = (color) => `rgb(${color & 255} ${(color >>> 8) & 255} ${(color >>> 16) & 255})`;

  // Gray, the more of it the less the method knows what to expect there
  function background(context, plot) {
    const {values, edges, turn} = plot.background, [left, right, bottom, top] = edges;
    const side = Math.round(Math.sqrt(values.length)), image = new ImageData(side, side);
    values.forEach((share, k) => image.data.set([GRAY, GRAY, GRAY, OPACITY * share], 4 * k));
    const small = new OffscreenCanvas(side, side);
    small.getContext("2d").putImageData(image, 0, 0);
    // Pixels of the image to coordinates, turned as the points are, to the screen
    const {angle, flip, mean} = turn ?? {angle: 0, flip: 1, mean: [0, 0]};
    const c = Math.cos(angle), s = Math.sin(angle), f = plot.unit * plot.ratio;
    const origin = [plot.width / 2 - plot.middle[0] * plot.unit,
      plot.height / 2 + plot.middle[1] * plot.unit].map((v) => v * plot.ratio);
    context.setTransform(new DOMMatrix([f, 0, 0, -f, ...origin])
      .multiply(new DOMMatrix([c, s, -s * flip, c * flip, 0, 0]))
      .translate(-mean[0], -mean[1])
      .multiply(new DOMMatrix([(right - left) / side, 0, 0, (top - bottom) / side, left, bottom])));
    context.drawImage(small, 0, 0);
    context.resetTransform();
  }

  // Ellipses, fainter where they cover each other many times
  function ellipses(context, plot, codes, palette) {
    const [first, second, angles] = plot.ellipses, {sx, sy, ratio} = plot;
    const size = DEVIATIONS * plot.unit * ratio;
    const covered = Math.PI * size ** 2 * first.reduce((sum, a, i) => sum + a * second[i], 0);
    const room = context.canvas.width * context.canvas.height;
    context.globalAlpha = SHARE * Math.min(1, (2 * room) / covered);
    for (let i = 0; i < plot.n; i++) {
      context.fillStyle = css(palette.pixels[codes[i]]);
      context.beginPath();
      context.ellipse(sx[i] * ratio, sy[i] * ratio, first[i] * size, second[i] * size,
        -angles[i], 0, 2 * Math.PI);
      context.fill();
    }
  }

  return {css, background, ellipses};
})();
