// The episode page: turns, quotes, tabs, steps. Every link also works without this script.
"use strict";

{
  const app = window.emoharbor;
  const trio = document.getElementById("trio");
  const find = (id) => document.getElementById(id);
  let turn = Number(trio.dataset.turn);
  let asked = 0;

  const last = () => document.querySelectorAll("#turns .turn").length - 1;

  // Scroll only the column, never the page under the reader's hands.
  function bring(element, column) {
    const alone = getComputedStyle(column).overflowY === "auto";
    if (!alone) {
      element.scrollIntoView({ block: "nearest" });
      return;
    }
    const place = element.getBoundingClientRect(), frame = column.getBoundingClientRect();
    const head = 52;
    if (place.top < frame.top + head || place.bottom > frame.bottom) column.scrollTop += place.top - frame.top - head;
  }

  function show(number, { scroll = true, flash = false } = {}) {
    turn = Math.max(0, Math.min(number, last()));
    for (const world of document.querySelectorAll("[data-world]")) world.hidden = Number(world.dataset.world) !== turn;
    for (const item of document.querySelectorAll("#turns .turn")) {
      const now = Number(item.dataset.turn) === turn;
      item.classList.toggle("now", now);
      if (!now) continue;
      if (scroll) bring(item, find("talk"));
      if (flash) {
        item.classList.remove("flash");
        void item.offsetWidth; // starts the animation again
        item.classList.add("flash");
      }
    }
    find("turn-now").textContent = `turn ${turn}`;
    app.point?.(turn);
  }

  // Where quoted words stand in a turn, whatever the case and white space.
  function rangeOf(quote, scope) {
    const wanted = quote.replace(/\s+/g, " ").trim().replace(/^["“”'‘’]+|["“”'‘’]+$/g, "").toLocaleLowerCase();
    if (!wanted) return null;
    for (const holder of scope.querySelectorAll(".said .text")) {
      const node = holder.firstChild;
      if (!node) continue;
      const raw = node.data;
      let flat = "";
      const places = [];
      for (let index = 0; index < raw.length; index += 1) {
        const char = /\s/.test(raw[index]) ? " " : raw[index].toLocaleLowerCase();
        if (char === " " && flat.endsWith(" ")) continue;
        for (const piece of char) { flat += piece; places.push(index); }
      }
      const start = flat.indexOf(wanted);
      if (start < 0) continue;
      const range = document.createRange();
      range.setStart(node, places[start]);
      range.setEnd(node, places[start + wanted.length - 1] + 1);
      return range;
    }
    return null;
  }

  function follow(number, quote) {
    show(number, { flash: !quote });
    CSS.highlights?.delete("quote");
    const scope = find(`turn-${number}`);
    const range = quote && scope ? rangeOf(quote, scope) : null;
    if (range && window.Highlight) {
      CSS.highlights.set("quote", new Highlight(range));
      const holder = range.startContainer.parentElement;
      const offset = range.getBoundingClientRect().top - holder.getBoundingClientRect().top;
      if (holder.classList.contains("long")) holder.scrollTop += offset - 40;
      bring(holder.closest(".said"), find("talk"));
      app.tell(`turn ${number}: ${quote}`);
    } else {
      app.tell(`turn ${number}`);
    }
  }

  function tab(name) {
    for (const other of ["verdict", "nodes"]) {
      find(other).hidden = other !== name;
      const button = find(`tab-${other}`);
      button.setAttribute("aria-selected", String(other === name));
      button.tabIndex = other === name ? 0 : -1;
    }
  }

  function light(role, before) {
    for (const item of document.querySelectorAll("svg.graph .lit")) {
      item.classList.remove("lit");
      item.classList.add("been");
    }
    for (const item of document.querySelectorAll(`svg.graph [data-seat="${role}"], svg.graph [data-arrow="${before} ${role}"]`)) {
      item.classList.remove("been");
      item.classList.add("lit");
    }
  }

  function lightFrom(detail) {
    const step = detail?.querySelector(".step");
    if (step) light(step.dataset.role, step.dataset.before);
    return step;
  }

  async function step(number) {
    const choice = find("step"), detail = find("step-detail");
    if (!choice || number < 0 || number >= choice.options.length) return;
    tab("nodes");
    choice.value = String(number);
    const mine = ++asked;
    const answer = await fetch(`${detail.dataset.url}&n=${number}`, { credentials: "same-origin" });
    const text = await answer.text();
    if (mine !== asked) return; // another step was asked for meanwhile
    const fresh = new DOMParser().parseFromString(text, "text/html").querySelector(".step");
    if (!answer.ok || !fresh) {
      app.tell("This step cannot be shown; load the page again.");
      return;
    }
    if (number === 0) document.querySelectorAll("svg.graph .been").forEach((item) => item.classList.remove("been"));
    detail.replaceChildren(document.importNode(fresh, true));
    const shown = lightFrom(detail);
    if (shown?.dataset.turn) show(Number(shown.dataset.turn));
  }

  const now = () => Number(find("step")?.value ?? 0);

  // The steps open at the turn that is shown, not at where they stood before.
  function openNodes() {
    const first = document.querySelector(`#turn-${turn} [data-step]`);
    const at = lightFrom(find("step-detail"))?.dataset.turn;
    tab("nodes");
    if (first && at !== undefined && Number(at) !== turn) step(Number(first.dataset.step));
  }

  function openFork(number) {
    const dialog = find("fork");
    if (!dialog) return;
    find("fork-turn").value = String(number);
    find("fork-number").textContent = String(number);
    dialog.showModal();
  }

  app.actions["turn-before"] = () => show(turn - 1);
  app.actions["turn-after"] = () => show(turn + 1);
  app.actions["step-before"] = () => step(now() - 1);
  app.actions["step-after"] = () => step(now() + 1);
  Object.assign(app.keys, {
    j: () => show(turn + 1),
    k: () => show(turn - 1),
    n: () => { if (find("nodes").hidden) openNodes(); else step(now() + 1); },
    p: () => step(now() - 1),
    v: () => tab("verdict"),
    s: openNodes,
    c: () => app.go("compare"),
    f: () => openFork(turn),
    "]": () => app.go("after"),
    "[": () => app.go("before"),
  });

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a, button[role=tab]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (link.dataset.show !== undefined) follow(Number(link.dataset.show), link.dataset.quote);
    else if (link.dataset.step !== undefined) step(Number(link.dataset.step));
    else if (link.dataset.fork !== undefined) openFork(Number(link.dataset.fork));
    else if (link.id === "tab-verdict") tab("verdict");
    else if (link.id === "tab-nodes") openNodes();
    else return;
    event.preventDefault();
  });
  document.querySelector("[role=tablist]").addEventListener("keydown", (event) => {
    if (!["ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) return;
    const name = find("verdict").hidden ? "verdict" : "nodes";
    if (name === "nodes") openNodes(); else tab(name);
    find(`tab-${name}`).focus();
    event.preventDefault();
  });
  find("step")?.addEventListener("change", () => step(now()));
  document.addEventListener("emoharbor:turn", (event) => show(event.detail.turn));
  document.addEventListener("emoharbor:drawn", () => app.point?.(turn));
  document.addEventListener("emoharbor:fresh", () => show(turn, { scroll: false }));

  tab(find("nodes").hidden ? "verdict" : "nodes");
  lightFrom(find("step-detail"));
  show(turn);
  const wanted = document.querySelector(".rating.wanted");
  if (wanted && !find("verdict").hidden) bring(wanted, find("why"));
}
