// The map in `root` can be walked through, searched, zoomed and dragged, until `signal` says that it is gone.
function graph(root, signal) {
  document.documentElement.classList.add("live");
  const panel = root.querySelector(".evidence");
  const map = root.querySelector(".map");
  const picture = map.querySelector("svg");
  const articles = [...panel.querySelectorAll("article")];
  const marks = [...root.querySelectorAll("[data-shows]")];
  const boxes = [...picture.querySelectorAll(".box")];
  const links = [...picture.querySelectorAll(".link")];
  const overview = articles[0].id;
  let chosen = overview;

  // A variable with its edges and neighbours, or an edge with its ends.
  function surroundings(id) {
    const near = new Set([id]);
    for (const link of links) {
      const ends = link.dataset.ends.split(" ");
      if (link.dataset.shows !== id && !ends.includes(id)) continue;
      for (const x of [link.dataset.shows, ...ends]) near.add(x);
    }
    return near;
  }

  function light(near) {
    map.classList.toggle("asking", near !== null);
    for (const drawn of [...boxes, ...links]) drawn.classList.toggle("near", near !== null && near.has(drawn.dataset.shows));
  }

  function show(id) {
    for (const article of articles) article.hidden = article.id !== id;
    for (const mark of marks) {
      const shown = mark.dataset.shows === id;
      if (mark.hasAttribute("aria-pressed")) mark.setAttribute("aria-pressed", String(shown));
      else mark.closest("tr")?.classList.toggle("shown", shown);
    }
    light(id === overview ? null : surroundings(id));
    panel.scrollTop = 0;
  }

  function choose(id, look) {
    chosen = id;
    show(id);
    const top = panel.getBoundingClientRect().top;
    // Not if it can be seen: what moves under the pointer would be taken for pointed to.
    if (look && (top < 0 || top > 0.7 * innerHeight)) panel.scrollIntoView({ block: "nearest" });
  }

  function bring(id) {
    const drawn = [...boxes, ...links].find((x) => x.dataset.shows === id);
    if (!drawn) return;
    const inner = drawn.getBoundingClientRect();
    const outer = map.getBoundingClientRect();
    map.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2;
    map.scrollTop += inner.top + inner.height / 2 - outer.top - outer.height / 2;
  }

  for (const mark of marks) {
    const id = mark.dataset.shows;
    const drawn = mark.closest("svg");
    const leads = drawn && mark.hasAttribute("href");
    if (!leads) mark.addEventListener("click", (event) => {
      event.preventDefault();
      event.stopPropagation();
      choose(id, true);
      if (!drawn) bring(id);
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
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") choose(overview, false);
  }, { signal });

  // Zoom: the picture gets another size, and the box around it scrolls.
  const wide = picture.viewBox.baseVal.width;
  const tall = picture.viewBox.baseVal.height;
  let scale = 1;

  function zoom(to, x = map.clientWidth / 2, y = map.clientHeight / 2) {
    const by = Math.min(Math.max(to, 0.05), 4) / scale;
    const left = (map.scrollLeft + x) * by - x;
    const top = (map.scrollTop + y) * by - y;
    scale *= by;
    picture.setAttribute("width", wide * scale);
    picture.setAttribute("height", tall * scale);
    map.scrollLeft = left;
    map.scrollTop = top;
  }

  const fit = () => Math.min(map.clientWidth / wide, (0.82 * innerHeight - 4) / tall, 1);
  root.querySelector("#in").addEventListener("click", () => zoom(scale * 1.25));
  root.querySelector("#out").addEventListener("click", () => zoom(scale / 1.25));
  root.querySelector("#fit").addEventListener("click", () => zoom(fit()));
  root.querySelector("#full").addEventListener("click", () => zoom(1));
  map.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const outer = map.getBoundingClientRect();
    zoom(scale * Math.exp(-event.deltaY / 300), event.clientX - outer.left, event.clientY - outer.top);
  }, { passive: false });
  map.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "+" || event.key === "=") zoom(scale * 1.25);
    else if (event.key === "-") zoom(scale / 1.25);
    else if (event.key === "0") zoom(fit());
  });

  // A mouse drags the picture; fingers scroll it anyway.
  let from = null;
  let moved = false;
  map.addEventListener("pointerdown", (event) => {
    moved = false;
    if (event.pointerType !== "mouse" || event.button !== 0) return;
    from = [event.clientX + map.scrollLeft, event.clientY + map.scrollTop];
  });
  addEventListener("pointermove", (event) => {
    if (!from) return;
    const left = from[0] - event.clientX;
    const top = from[1] - event.clientY;
    if (!moved && Math.hypot(left - map.scrollLeft, top - map.scrollTop) < 4) return;
    moved = true;
    map.classList.add("moving");
    map.scrollLeft = left;
    map.scrollTop = top;
  }, { signal });
  addEventListener("pointerup", () => {
    from = null;
    map.classList.remove("moving");
  }, { signal });
  map.addEventListener("click", () => {
    if (!moved) choose(overview, false);
  });

  const find = root.querySelector("#find");
  const found = root.querySelector("#found");
  const names = new Map([...root.querySelectorAll("#names option")].map((x) => [x.dataset.of, x.value]));
  find.addEventListener("input", () => {
    const text = find.value.trim().toLowerCase();
    const hits = [...names].filter(([, name]) => name.toLowerCase().includes(text));
    const exact = hits.filter(([, name]) => name.toLowerCase() === text);
    found.textContent = text === "" ? "" : hits.length === 1 ? "1 variable" : `${hits.length} variables`;
    if (text === "") return choose(overview, false);
    if (hits.length === 1 || exact.length === 1) {
      const [id] = (exact[0] ?? hits[0]);
      choose(id, false);
      bring(id);
    } else light(new Set(hits.map(([id]) => id)));
  });
  find.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    const id = boxes.map((box) => box.dataset.shows).find((x) => names.get(x).toLowerCase().includes(find.value.trim().toLowerCase()));
    if (!id || find.value.trim() === "") return;
    choose(id, false);
    bring(id);
  });

  zoom(Math.max(Math.min(map.clientWidth / wide, 1), 0.5));
  show(chosen);
}
