// Tables inside `root` can be sorted, and say if they are cut.
function sort(root) {
  function compare(a, b, numbers) {
    if (a === "" || b === "") return (a === "") - (b === "");
    return numbers ? Number(a) - Number(b) : a.localeCompare(b, undefined, { numeric: true });
  }

  for (const button of root.querySelectorAll("thead button")) {
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

  for (const box of root.querySelectorAll(".scroll")) {
    const look = () => box.classList.toggle("cut", box.scrollWidth > box.clientWidth + 1);
    new ResizeObserver(look).observe(box);
    look();
  }
}
