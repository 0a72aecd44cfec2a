// Steps fetch the part of the page that changes, put it in place, and move what stays from where it was.
(() => {
  const moving = matchMedia("(prefers-reduced-motion: no-preference)");
  const waiting = document.getElementById("waiting");
  const message = document.getElementById("message");
  const trail = document.getElementById("trail");
  const columns = document.getElementById("columns");
  let asked = null; // what cancels the request under way
  let shown = null; // what ends the work on the view that is shown
  const view = () => document.getElementById("view");
  const address = (query) => (query ? `/?${query}` : "/");

  // Starting: what the view needs from the scripts of every page.
  function start() {
    shown?.abort();
    shown = new AbortController();
    const root = view();
    sort(root);
    for (const answer of root.querySelectorAll(".answer")) page(answer);
    if (root.querySelector(".map")) graph(root, shown.signal);
    slide(root);
    for (const line of root.querySelectorAll("[data-progress]")) follow(line, shown.signal);
    document.title = `${root.dataset.title} – elcs`;
    for (const item of columns.querySelectorAll("li")) {
      item.toggleAttribute("aria-current", item.dataset.name === root.dataset.target);
    }
    columns.querySelector("[data-map]").toggleAttribute("aria-current", root.dataset.target === "");
  }

  // Where the boxes of the visible pictures are, by the column they stand for.
  function boxes() {
    const found = new Map();
    for (const box of view().querySelectorAll("figure .box")) {
      const name = box.dataset.name;
      const at = box.getBoundingClientRect();
      if (name !== undefined && at.width && !found.has(name)) found.set(name, { box, at });
    }
    return found;
  }

  function move(before) {
    if (!moving.matches) return;
    const fades = { duration: 250, easing: "ease-out" };
    for (const [name, { box, at }] of boxes()) {
      const was = before.get(name)?.at;
      if (!was) {
        box.animate([{ opacity: 0 }, { opacity: 1 }], fades);
        continue;
      }
      const svg = box.ownerSVGElement;
      const unit = svg.viewBox.baseVal.width / svg.getBoundingClientRect().width;
      const x = (was.left + was.width / 2 - at.left - at.width / 2) * unit;
      const y = (was.top + was.height / 2 - at.top - at.height / 2) * unit;
      box.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }], { duration: 350, easing: "ease-in-out" });
    }
    for (const line of view().querySelectorAll("figure .link")) line.animate([{ opacity: 0 }, { opacity: 0 }, { opacity: 1 }], { duration: 400 });
  }

  function put(html, focus) {
    const before = boxes();
    const made = new DOMParser().parseFromString(html, "text/html").getElementById("view");
    const at = document.activeElement?.id;
    view().replaceWith(document.adoptNode(made));
    start();
    move(before);
    const next = (at && document.getElementById(at)) || (focus ? view().querySelector("h1") : null);
    next?.focus({ preventScroll: true });
  }

  function tell(text) {
    message.textContent = text;
    message.hidden = text === "";
  }

  // Returns whether the step was taken.
  async function fetched(query, focus) {
    asked?.abort();
    const mine = (asked = new AbortController());
    const patience = setTimeout(() => {
      waiting.hidden = false;
      view().classList.add("old");
    }, 250);
    try {
      const answer = await fetch(`/view?${query}`, { signal: mine.signal });
      const text = await answer.text();
      if (!answer.ok) throw new Error(text);
      tell("");
      put(text, focus);
      return true;
    } catch (error) {
      if (!mine.signal.aborted) tell(error instanceof TypeError ? "The server does not answer; is it still running?" : error.message);
      return false;
    } finally {
      clearTimeout(patience);
      if (asked === mine) {
        asked = null;
        waiting.hidden = true;
        view().classList.remove("old");
      }
    }
  }

  async function go(query) {
    const from = { query: view().dataset.query, title: view().dataset.title };
    const steps = [...(history.state?.steps ?? []), from].slice(-8);
    if (!(await fetched(query, true))) return;
    if (view().dataset.query !== from.query) history.pushState({ steps }, "", address(view().dataset.query));
    walked();
  }

  // The way back: the last steps, each with its address.
  function walked() {
    const steps = history.state?.steps ?? [];
    trail.replaceChildren();
    if (steps.length === 0) return;
    const back = document.createElement("button");
    back.type = "button";
    back.id = "back";
    back.textContent = "← Back";
    back.addEventListener("click", () => history.back());
    trail.append(back);
    for (const step of steps) {
      const link = document.createElement("a");
      link.href = address(step.query);
      link.textContent = step.title;
      trail.append(link);
    }
  }

  addEventListener("popstate", async () => {
    await fetched(location.search.slice(1), true);
    walked();
  });

  waiting.querySelector("button").addEventListener("click", () => asked?.abort());

  // Links to other states: boxes, columns, what is said and taken back.
  document.addEventListener("click", (event) => {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const link = event.target.closest("a[href]");
    const href = link?.getAttribute("href");
    if (!href || link.hasAttribute("download") || !(href === "/" || href.startsWith("/?"))) return;
    event.preventDefault();
    const item = link.closest("#columns li");
    if (item) go(changed({ target: new URLSearchParams(href.slice(2)).get("target") }));
    else if (link.hasAttribute("data-map")) go(changed({ target: "", beside: "" }));
    else go(href.slice(2));
  });

  // Whoever chooses a line by keyboard goes on in its evidence.
  document.addEventListener("keydown", (event) => {
    if ((event.key !== "Enter" && event.key !== " ") || !event.target.closest("svg .link")) return;
    const article = event.target.closest(".answer, main").querySelector(".evidence article:not([hidden])");
    article.tabIndex = -1;
    article.focus();
  });

  // The query of the state that is shown, with some of it changed.
  function changed(what) {
    const query = new URLSearchParams(view().dataset.query);
    for (const [name, value] of Object.entries(what)) {
      if (value === "") query.delete(name);
      else query.set(name, value);
    }
    return query.toString();
  }

  const set = (form) => go(new URLSearchParams(new FormData(form)).toString());
  document.addEventListener("change", (event) => {
    const { form, id, value, dataset } = event.target;
    if (form?.id === "settings" && id !== "alpha-slider" && dataset.sent !== value) set(form);
  });
  // A column is chosen as soon as its name is complete; the change that follows says nothing new.
  document.addEventListener("input", (event) => {
    const { form, id, value, dataset } = event.target;
    if (id !== "beside" || ![...event.target.list.options].some((option) => option.value === value)) return;
    dataset.sent = value;
    set(form);
  });
  document.addEventListener("submit", (event) => {
    event.preventDefault();
    set(event.target);
  });

  // Alpha is a slider of powers of ten beside a number.
  function slide(root) {
    const slider = root.querySelector("#alpha-slider");
    const number = root.querySelector("#alpha");
    if (!slider) return;
    slider.value = Math.log10(Number(number.value));
    slider.addEventListener("input", () => {
      number.value = Number((10 ** Number(slider.value)).toPrecision(2));
    });
    slider.addEventListener("change", () => number.dispatchEvent(new Event("change", { bubbles: true })));
  }

  // Half-samples and effects: a line for each step, until the view is gone or somebody cancels.
  async function follow(line, gone) {
    const mine = new AbortController();
    gone.addEventListener("abort", () => mine.abort());
    line.querySelector("button").addEventListener("click", () => {
      mine.abort();
      line.remove();
    });
    const query = changed({ target: line.dataset.of });
    try {
      const answer = await fetch(`/progress/${line.dataset.progress}?${query}`, { signal: mine.signal });
      if (!answer.ok) throw new Error(await answer.text());
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        const lines = (rest + value).split("\n");
        rest = lines.pop();
        for (const told of lines.map((text) => JSON.parse(text))) {
          if (told.error) throw new Error(told.error);
          if (told.ready) return void fetched(view().dataset.query, false);
          const bar = line.querySelector("progress");
          bar.max = told.of;
          bar.value = told.done;
        }
      }
    } catch (error) {
      if (mine.signal.aborted) return;
      line.remove();
      tell(error.message);
    }
  }

  // Columns: a search field whose arrow keys walk through what it finds.
  const find = document.getElementById("find-column");
  const items = [...columns.querySelectorAll("li")];
  const links = () => items.filter((item) => !item.hidden).map((item) => item.firstElementChild);
  for (const item of items) item.firstElementChild.tabIndex = -1;
  find.addEventListener("input", () => {
    const text = find.value.trim().toLowerCase();
    for (const item of items) item.hidden = !item.dataset.name.toLowerCase().includes(text);
  });
  find.addEventListener("keydown", (event) => {
    if (event.key === "Enter") links()[0]?.click();
  });
  columns.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const all = [find, ...links()];
    const at = all.indexOf(document.activeElement);
    if (at < 0) return;
    event.preventDefault();
    all[Math.min(Math.max(at + (event.key === "ArrowDown" ? 1 : -1), 0), all.length - 1)].focus();
  });

  // A column that is dragged onto another comes before it.
  let dragged = null;
  const under = (event) => (dragged === null ? null : event.target.closest?.("[data-name]"));
  document.addEventListener("dragstart", (event) => {
    dragged = event.target.closest?.("li[data-name]")?.dataset.name ?? null;
    if (dragged !== null) event.dataTransfer.setData("text/plain", dragged);
  });
  document.addEventListener("dragover", (event) => {
    const place = under(event);
    for (const other of document.querySelectorAll(".over")) other.classList.toggle("over", other === place);
    if (!place || place.dataset.name === dragged) return;
    place.classList.add("over");
    event.preventDefault();
  });
  document.addEventListener("drop", (event) => {
    const place = under(event);
    if (!place || place.dataset.name === dragged) return;
    event.preventDefault();
    go(changed({ before: JSON.stringify([dragged, place.dataset.name]) }));
  });
  document.addEventListener("dragend", () => {
    dragged = null;
    for (const other of document.querySelectorAll(".over")) other.classList.remove("over");
  });

  document.getElementById("upload")?.addEventListener("change", async (event) => {
    const file = event.target.files[0];
    if (!file) return;
    waiting.hidden = false;
    const answer = await fetch(`/upload?${new URLSearchParams({ name: file.name })}`, { method: "POST", body: file });
    waiting.hidden = true;
    if (answer.ok) location.assign("/");
    else tell(await answer.text());
  });

  start();
  walked();
})();
