// Fills <img data-figure="NAME"> with the figure's drawing, which is the block "figure/NAME"; those
// with the attribute "data-late" only when they come into view.
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

  function fill(image) {
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

  const inView = new IntersectionObserver((entries) => {
    for (const {target} of entries.filter((entry) => entry.isIntersecting)) {
      inView.unobserve(target);
      fill(target);
    }
  }, {rootMargin: "50%"});

  document.addEventListener("page", ({detail}) => {
    inView.disconnect(); // images of the page before
    for (const image of detail.element.querySelectorAll("img[data-figure]")) {
      if ("late" in image.dataset) inView.observe(image);
      else fill(image);
    }
  });
})();
