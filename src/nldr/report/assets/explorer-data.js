// Reads the blocks of the embedding explorer; src/nldr/report/packing.py writes their formats.
//
// Block "explorer" is an index in JSON. Each cloud (the data of one cell and trial, and their
// embeddings) and each sheet of images has a block of its own, which is unpacked when it is shown.
"use strict";

nldr.explorer = nldr.explorer ?? {};

nldr.explorer.data = (() => {
  const MISSING = 255;
  const STEPS = 254;
  const LEVELS = 4095;
  const waiting = new Map(); // promises by the name of a block

  function once(name, read) {
    if (!waiting.has(name)) waiting.set(name, nldr.block(name).then(read));
    return waiting.get(name);
  }

  const index = () =>
    once("explorer", (buffer) => JSON.parse(new TextDecoder().decode(buffer)));

  // --- columns ------------------------------------------------------------------------------

  function column(part, buffer) {
    const {as, at, n, low, high} = part;
    if (as === "u12") return coordinates(new Uint8Array(buffer, at), n, low, high);
    if (as === "u8") return levels(new Uint8Array(buffer, at, n), low, high);
    const Type = {i8: Uint8Array, i16: Uint16Array, i32: Uint32Array}[as];
    return new Type(buffer, at, n);
  }

  // 12 bits: first the upper 8 of all numbers, then the lower 4, two numbers to a byte
  function coordinates(bytes, n, low, high) {
    const values = new Float32Array(n);
    const step = (high - low) / LEVELS;
    for (let i = 0; i < n; i++) {
      const pair = bytes[n + (i >> 1)];
      values[i] = low + step * ((bytes[i] << 4) | (i & 1 ? pair >> 4 : pair & 15));
    }
    return values;
  }

  function levels(bytes, low, high) {
    const values = new Float32Array(bytes.length);
    const step = (high - low) / STEPS;
    for (let i = 0; i < values.length; i++)
      values[i] = bytes[i] === MISSING ? NaN : low + step * bytes[i];
    return values;
  }

  // --- clouds and images --------------------------------------------------------------------

  // The description of a cloud with its numbers in place of where they lie
  function cloud(described) {
    return once(described.block, (buffer) => {
      const read = (part) => column(part, buffer);
      const all = (parts) => (parts ?? []).map(read);
      const embeddings = described.embeddings.map((found) => ({
        ...found,
        axes: all(found.axes),
        background: found.background
          ? {edges: found.background.edges, values: read(found.background)} : null,
        ellipses: all(found.ellipses), // deviations along both axes, angle of the first
        means: Object.fromEntries(Object.entries(found.errors ?? {}).map(([k, e]) => [k, e.mean])),
        errors: Object.fromEntries(
          Object.entries(found.errors ?? {}).map(([k, part]) => [k, read(part)])),
      }));
      return {
        ...described,
        data: all(described.data),
        latent: all(described.latent),
        columns: (described.columns ?? []).map((part) => ({...part, values: read(part)})),
        labels: described.labels ? read(described.labels) : null,
        images: described.images ? read(described.images) : null,
        embeddings,
      };
    });
  }

  function sheet(described) {
    return once(described.block, (buffer) =>
      createImageBitmap(new Blob([buffer], {type: described.kind})));
  }

  return {index, cloud, sheet};
})();
