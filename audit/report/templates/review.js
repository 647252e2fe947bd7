// Sorts a table by the column whose heading is chosen, and shows the rows of one verdict.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const key = (row, column) => row.cells[column].dataset.sort ?? row.cells[column].textContent.trim();
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const order = (a, b) => key(a, column).localeCompare(key(b, column), "en", { numeric: true });
      body.append(...[...body.rows].sort((a, b) => (down ? order(b, a) : order(a, b))));
    });
  });
}
for (const table of document.querySelectorAll("table.review")) {
  const verdicts = new Set([...table.tBodies[0].rows].map((row) => row.dataset.verdict));
  const label = document.createElement("label");
  const choice = document.createElement("select");
  label.className = "filter";
  for (const verdict of ["all verdicts", ...verdicts]) choice.add(new Option(verdict));
  label.append("Show ", choice);
  table.parentElement.before(label);
  choice.addEventListener("change", () => {
    for (const row of table.tBodies[0].rows)
      row.hidden = choice.selectedIndex > 0 && row.dataset.verdict !== choice.value;
  });
}
