// Fills <img data-figure="NAME"> with the figure's drawing, which is the block "figure/NAME".
//
// A figure is an image of its own, so that nothing in one drawing can clash with the page.
"use strict";

(() => {
  const addresses = new Map(); // figure → promise of its address, and whether it has images

  async function draw(name) {
    const data = await nldr.block(`figure/${name}`);
    const blob = new Blob([data], {type: "image/svg+xml"});
    const isPhoto = (await blob.text()).includes("<image");
    return {address: URL.createObjectURL(blob), isPhoto};
  }

  document.addEventListener("page", ({detail}) => {
    for (const image of detail.element.querySelectorAll("img[data-figure]")) {
      const name = image.dataset.figure;
      if (!addresses.has(name)) addresses.set(name, draw(name));
      image.style.setProperty("--natural", image.getAttribute("width"));
      addresses.get(name).then(({address, isPhoto}) => {
        image.toggleAttribute("data-photo", isPhoto);
        image.src = address;
        const save = image.closest("figure")?.querySelector("a[download]");
        if (save) save.href = address;
      });
    }
  });
})();
