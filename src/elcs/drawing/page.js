// Choosing a box or a line in the picture of `root` shows its evidence; a box that is a link leads somewhere instead.
function page(root) {
  document.documentElement.classList.add("live");
  const panel = root.querySelector(".evidence");
  const articles = [...panel.querySelectorAll("article")];
  const marks = [...root.querySelectorAll("[data-shows]")];
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
    const top = panel.getBoundingClientRect().top;
    // Not if it can be seen: what moves under the pointer would be taken for pointed to.
    if (look && (top < 0 || top > 0.7 * innerHeight)) panel.scrollIntoView({ block: "nearest" });
  }

  for (const mark of marks) {
    const id = mark.dataset.shows;
    const drawn = mark.closest("svg");
    const leads = drawn && mark.hasAttribute("href");
    if (!leads) mark.addEventListener("click", (event) => {
      event.preventDefault();
      choose(id, true);
    });
    if (!drawn) continue;
    mark.addEventListener("mouseenter", () => show(id));
    mark.addEventListener("mouseleave", () => show(chosen));
    mark.addEventListener("focus", () => choose(id, false));
    if (!leads) mark.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      choose(id, true);
    });
  }

  show(chosen);
}
