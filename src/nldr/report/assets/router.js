// Shows the page that the address names: #/study/ikd_fig1?from=2 → "study/ikd_fig1", which is
// in data-pages="study/" with all that are alike; #/guide → "guide", in data-pages="guide".
//
// After a page is shown, `document` receives the event "page" with {route, params, element}: the
// route as text, the parameters as URLSearchParams, and the <main> element. Scripts that give pages
// behavior listen to it. A page that changes its own parameters uses history.replaceState.
"use strict";

window.nldr = (() => {
  const main = document.getElementById("main");
  const overview = main.innerHTML;
  const NO_PAGE = `<h1>No such page</h1><p>This report has no page <code></code>.
    <a href="#/">Back to the overview</a></p>`;
  const scrolled = new Map(); // scroll position of each address, for the way back
  let address = null; // what is shown
  let followed = false; // whether a link was followed, not the browser's history

  // --- data ---------------------------------------------------------------------------------

  // Two characters, each from "#" to "~" without "<", have 13 bits; see `pack` in page.py.
  function bytesOf(text) {
    const digit = (i) => text.charCodeAt(i) - 35 - (text.charCodeAt(i) > 60);
    const end = text.length - 1;
    const bytes = new Uint8Array((13 * end >> 4) - digit(end));
    let [bits, n, at] = [0, 0, 0]; // the last n bits are not in a byte yet
    for (let i = 0; i < end; i += 2) {
      bits = bits << 13 | digit(i) * 91 + digit(i + 1);
      for (n += 13; n >= 8; n -= 8) bytes[at++] = bits >> (n - 8);
    }
    return bytes;
  }

  async function unpack(element) {
    const stream = new Blob([bytesOf(element.textContent)]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).arrayBuffer();
  }

  function find(kind, name) {
    return document.querySelector(`script[data-${kind}="${CSS.escape(name)}"]`);
  }

  async function block(name) {
    const element = find("block", name);
    if (!element) throw new Error(`no block "${name}" in this report`);
    return unpack(element);
  }

  // --- pages --------------------------------------------------------------------------------

  const unpacked = new Map(); // pages by route, of each element that was needed

  async function page(route) {
    if (route === "") return overview;
    const element = find("pages", route) ?? find("pages", route.replace(/\/.*/, "/"));
    if (!element) return undefined;
    if (!unpacked.has(element)) {
      unpacked.set(element, JSON.parse(new TextDecoder().decode(await unpack(element))));
    }
    return unpacked.get(element)[route];
  }

  async function show() {
    const hash = location.hash;
    const isRoute = hash.startsWith("#/");
    const [route, query = ""] = isRoute ? split(hash.slice(2)) : [""];
    const html = await page(route);
    if (location.hash !== hash) return; // another link was followed meanwhile
    const first = address === null;
    address = hash;
    // The overview is in the document already when it is the first page.
    if (!first || route !== "") main.innerHTML = html ?? NO_PAGE;
    if (html === undefined) main.querySelector("code").textContent = route;
    mark(route);
    const back = !followed && !first;
    followed = false;
    place(hash, isRoute, back, first);
    const params = new URLSearchParams(query);
    document.dispatchEvent(new CustomEvent("page", {detail: {route, params, element: main}}));
    if (back) window.scrollTo(0, scrolled.get(hash) ?? 0); // once the scripts have added theirs
  }

  function split(text) {
    const at = text.indexOf("?");
    return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
  }

  // Title of the window and current entry of the navigation
  function mark(route) {
    const heading = main.querySelector("h1");
    document.title = route && heading ? `${heading.textContent.trim()} · nldr` :
      document.documentElement.dataset.title ?? "nldr report";
    const section = route.split("/")[0];
    for (const link of document.querySelectorAll("nav [data-below]")) {
      const current = link.dataset.below.split(" ").includes(section);
      if (current) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }

  // Scroll, and give the keyboard's focus to the new page
  function place(hash, isRoute, back, first) {
    const target = isRoute ? null : document.getElementById(hash.slice(1));
    if (target) target.scrollIntoView();
    else if (!back) window.scrollTo(0, 0);
    if (!first) main.focus({preventScroll: true});
  }

  function go(route) {
    followed = true;
    location.hash = `#/${route}`;
  }

  // --- events -------------------------------------------------------------------------------

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (!link) return;
    if (link.classList.contains("skip")) {
      event.preventDefault();
      main.focus();
      return;
    }
    scrolled.set(location.hash, window.scrollY);
    followed = link.getAttribute("href") !== location.hash;
  });
  window.addEventListener("hashchange", show);
  history.scrollRestoration = "manual";

  // Theme: as the system, light, dark
  const themes = {auto: ["◐", "as the system"], light: ["☀", "light"], dark: ["☾", "dark"]};
  const toggle = document.querySelector("[data-theme-toggle]");
  function paint(theme) {
    const [sign, words] = themes[theme];
    document.documentElement.dataset.theme = theme;
    toggle.textContent = sign;
    toggle.title = `Theme: ${words}`;
    toggle.setAttribute("aria-label", toggle.title);
    document.dispatchEvent(new CustomEvent("theme", {detail: {theme}}));
  }
  toggle.addEventListener("click", () => {
    const names = Object.keys(themes);
    const now = document.documentElement.dataset.theme;
    const next = names[(names.indexOf(now) + 1) % names.length];
    paint(next);
    try { localStorage.setItem("nldr-theme", next); } catch { /* not kept */ }
  });
  const kept = document.documentElement.dataset.theme;
  paint(kept in themes ? kept : "auto");

  // Scripts that follow in the document are ready when the first page is shown.
  document.addEventListener("DOMContentLoaded", show);
  return {block, go};
})();
