// Gives tables and lists their behavior: sort, filter, show all rows, download as CSV.
//
// A table is <section data-table> with buttons in its headings; a list is <div data-filter-list>
// with items [data-item] whose data-verdict, data-paper, … its check boxes choose from.
"use strict";

(() => {
  // --- tables -------------------------------------------------------------------------------

  function rawOf(cell) {
    return cell ? cell.dataset.v ?? cell.textContent.trim() : "";
  }

  // A number as scripts write it: readers see a true minus and narrow spaces.
  function plain(text) {
    return text.replaceAll("−", "-").replaceAll("\u202f", "");
  }

  function numberOf(text) {
    return text === "" ? NaN : Number(plain(text));
  }

  // Numbers by size, the rest by alphabet; empty cells come last in both directions.
  function compare(a, b, sign) {
    if (a === "" || b === "") return (a === "") - (b === "");
    const [x, y] = [numberOf(a), numberOf(b)];
    if (Number.isFinite(x) && Number.isFinite(y)) return sign * (x - y);
    return sign * a.localeCompare(b, undefined, {numeric: true});
  }

  function sort(section, heading) {
    const headings = [...section.querySelectorAll("thead th")];
    const column = headings.indexOf(heading);
    // Of dots the best ones come first
    const before = heading.getAttribute("aria-sort") ?? (heading.matches(".col-dots") ? "ascending" : "");
    const down = before === "ascending";
    for (const other of headings) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    const body = section.querySelector("tbody");
    const sign = down ? -1 : 1;
    const rows = [...body.rows].map((row) => [rawOf(row.cells[column]), row]);
    rows.sort((a, b) => compare(a[0], b[0], sign));
    body.append(...rows.map(([, row]) => row));
    update(section);
  }

  // Show the rows that match, at most as many as are shown at first.
  function update(section) {
    const rows = [...section.querySelector("tbody").rows];
    const words = wordsOf(section.querySelector("[data-filter-text]"));
    const limit = "all" in section.dataset ? Infinity : Number(section.dataset.shown);
    let matching = 0;
    for (const row of rows) {
      const fits = matches(row, words);
      if (fits) matching += 1;
      row.hidden = !fits || matching > limit;
    }
    const plural = rows.length === 1 ? "row" : "rows";
    section.querySelector("[data-count]").textContent = words.length
      ? `${matching} of ${rows.length} ${plural}` : `${rows.length} ${plural}`;
    const more = section.querySelector("[data-more]");
    more.hidden = matching <= limit;
    more.textContent = `Show ${matching} rows`;
  }

  function wordsOf(input) {
    return input ? input.value.toLowerCase().split(/\s+/).filter(Boolean) : [];
  }

  function matches(element, words) {
    if (!words.length) return true;
    const text = element.textContent.toLowerCase();
    return words.every((word) => text.includes(word));
  }

  // Download the rows that match the filter, all of them.
  function download(section) {
    const headings = [...section.querySelectorAll("thead th")];
    const kept = headings.map((h, i) => i).filter((i) => !headings[i].classList.contains("col-interval"));
    const words = wordsOf(section.querySelector("[data-filter-text]"));
    const rows = [...section.querySelector("tbody").rows].filter((row) => matches(row, words));
    const lines = [kept.map((i) => headings[i].dataset.key)];
    for (const row of rows) lines.push(kept.map((i) => exact(row.cells[i])));
    const text = lines.map((line) => line.map(quoted).join(",")).join("\r\n") + "\r\n";
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], {type: "text/csv"}));
    link.download = `${section.dataset.name}.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  function exact(cell) {
    if (cell.matches(".col-number, .col-end, .col-dots")) return plain(rawOf(cell));
    const verdict = cell.querySelector(".verdict");
    return verdict ? verdict.lastChild.textContent.trim() : rawOf(cell);
  }

  function quoted(text) {
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  }

  function enliven(section) {
    section.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (!button) return;
      if ("sort" in button.dataset) sort(section, button.closest("th"));
      if ("csv" in button.dataset) download(section);
      if ("more" in button.dataset) {
        section.dataset.all = "";
        update(section);
      }
    });
    section.querySelector("[data-filter-text]").addEventListener("input", () => update(section));
  }

  // --- lists --------------------------------------------------------------------------------

  function filter(list) {
    const chosen = {};
    for (const group of list.querySelectorAll("[data-filter-by]")) {
      const checked = [...group.querySelectorAll("input:checked")].map((input) => input.value);
      if (checked.length) chosen[group.dataset.filterBy] = checked;
    }
    const words = wordsOf(list.querySelector("[data-filter-text]"));
    const items = [...list.querySelectorAll("[data-item]")];
    for (const item of items) {
      const fits = Object.entries(chosen).every(([key, values]) => values.includes(item.dataset[key]));
      item.hidden = !fits || !matches(item, words);
    }
    for (const group of list.querySelectorAll("[data-group]")) {
      group.hidden = !group.querySelector("[data-item]:not([hidden])");
    }
    const shown = items.filter((item) => !item.hidden).length;
    const count = list.querySelector("[data-count]");
    if (count) count.textContent = shown === items.length ? `${shown} shown` : `${shown} of ${items.length} shown`;
    return chosen;
  }

  // The address keeps the choice, so that it can be sent and survives the way back.
  function remember(route, chosen) {
    const query = Object.entries(chosen)
      .flatMap(([key, values]) => values.map((value) => `${key}=${encodeURIComponent(value)}`)).join("&");
    history.replaceState(null, "", `#/${route}${query ? `?${query}` : ""}`);
  }

  function enlivenList(list, route, params) {
    for (const group of list.querySelectorAll("[data-filter-by]")) {
      const asked = params.getAll(group.dataset.filterBy);
      for (const input of group.querySelectorAll("input")) input.checked = asked.includes(input.value);
    }
    filter(list);
    list.addEventListener("input", (event) => {
      const chosen = filter(list);
      if (event.target.type === "checkbox") remember(route, chosen);
    });
  }

  document.addEventListener("page", ({detail}) => {
    for (const section of detail.element.querySelectorAll("[data-table]")) enliven(section);
    for (const list of detail.element.querySelectorAll("[data-filter-list]")) {
      enlivenList(list, detail.route, detail.params);
    }
  });
})();
