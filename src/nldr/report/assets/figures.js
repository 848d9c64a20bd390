// Fills <img data-figure="NAME"> with the figure's drawing, which is the block "figure/NAME".
//
// A figure is an image of its own, so that nothing in one drawing can clash with the page.
"use strict";

(() => {
  const addresses = new Map(); // figure → promise of its address

  async function draw(name) {
    const data = await nldr.block(`figure/${name}`);
    return URL.createObjectURL(new Blob([data], {type: "image/svg+xml"}));
  }

  document.addEventListener("page", ({detail}) => {
    for (const image of detail.element.querySelectorAll("img[data-figure]")) {
      const name = image.dataset.figure;
      if (!addresses.has(name)) addresses.set(name, draw(name));
      addresses.get(name).then((address) => {
        image.src = address;
        const save = image.closest("figure")?.querySelector("a[download]");
        if (save) save.href = address;
      });
    }
  });
})();
