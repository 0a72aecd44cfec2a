"use strict";
(() => {
  document.documentElement.classList.add("live");
  const panel = document.getElementById("evidence");
  const articles = [...panel.querySelectorAll("article")];
  const marks = [...document.querySelectorAll("[data-shows]")];
  let chosen = articles[0].id;

  function show(id) {
    for (const article of articles) article.hidden = article.id !== id;
    for (const mark of marks) {
      const shown = mark.dataset.shows === id;
      if (mark.hasAttribute("aria-pressed")) mark.setAttribute("aria-pressed", String(shown));
      else mark.closest("tr")?.classList.toggle("shown", shown);
    }
    panel.scrollTop = 0;
  }

  function choose(id, look) {
    chosen = id;
    show(id);
    if (look) panel.scrollIntoView({ block: "nearest" });
  }

  for (const mark of marks) {
    const id = mark.dataset.shows;
    mark.addEventListener("click", (event) => {
      event.preventDefault();
      choose(id, true);
    });
    if (!mark.closest("svg")) continue;
    mark.addEventListener("mouseenter", () => show(id));
    mark.addEventListener("mouseleave", () => show(chosen));
    mark.addEventListener("focus", () => choose(id, false));
    mark.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      choose(id, true);
    });
  }

  function compare(a, b, numbers) {
    if (a === "" || b === "") return (a === "") - (b === "");
    return numbers ? Number(a) - Number(b) : a.localeCompare(b, undefined, { numeric: true });
  }

  for (const button of document.querySelectorAll("thead button")) {
    button.addEventListener("click", () => {
      const heading = button.closest("th");
      const column = heading.cellIndex;
      const down = heading.getAttribute("aria-sort") === "ascending";
      for (const other of heading.parentNode.children) other.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", down ? "descending" : "ascending");
      const body = heading.closest("table").tBodies[0];
      const value = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent.trim();
      const numbers = heading.classList.contains("number") || "numeric" in heading.dataset;
      const sign = down ? -1 : 1;
      const rows = [...body.rows].sort((a, b) => {
        const order = compare(value(a), value(b), numbers);
        return value(a) === "" || value(b) === "" ? order : sign * order;
      });
      body.append(...rows);
    });
  }

  show(chosen);
})();
