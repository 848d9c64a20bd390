// Tables on "Which method for what?" are sorted by a click on a heading; a second click reverses.
"use strict";

(() => {
  // Numbers by size, texts by alphabet; empty cells come last in both directions.
  function compare(a, b, sign) {
    if (a === "" || b === "") return (a === "") - (b === "");
    const difference = Number(a) - Number(b);
    return sign * (Number.isNaN(difference) ? a.localeCompare(b) : difference);
  }

  function sort(table, headings, column) {
    const heading = headings[column];
    const valueOf = (row) => row.cells[column].dataset.v;
    // Of scores the best ones come first
    const first = "best" in heading.dataset ? "ascending" : "descending";
    const sign = (heading.getAttribute("aria-sort") ?? first) === "ascending" ? -1 : 1;
    for (const other of headings) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", sign < 0 ? "descending" : "ascending");
    const body = table.tBodies[0];
    body.append(...[...body.rows].sort((a, b) => compare(valueOf(a), valueOf(b), sign)));
  }

  for (const table of document.querySelectorAll(".which table")) {
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, column) => {
      const button = document.createElement("button");
      button.append(...heading.childNodes);
      button.addEventListener("click", () => sort(table, headings, column));
      heading.append(button);
    });
  }
})();
