// What every page does: theme, keys, help, and following a run that goes on.
"use strict";

window.emoharbor = (() => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const actions = {};
  const keys = {};

  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);

  function announceTheme() {
    document.dispatchEvent(new CustomEvent("emoharbor:theme"));
  }

  function tell(text) {
    document.getElementById("told").textContent = text;
  }

  function go(id) {
    const link = document.getElementById(id);
    if (link) link.click();
  }

  // Put the parts of a fresh copy of this page in place of the old ones, where they differ.
  function swap(fresh) {
    for (const part of document.querySelectorAll("[data-part]")) {
      const other = fresh.getElementById(part.id);
      if (!other || other.innerHTML === part.dataset.was) continue;
      part.dataset.was = other.innerHTML;
      const inside = part.contains(document.activeElement) ? document.activeElement.id : "";
      part.replaceChildren(...document.importNode(other, true).childNodes);
      part.toggleAttribute("data-again", other.hasAttribute("data-again"));
      if (inside) document.getElementById(inside)?.focus();
    }
    document.dispatchEvent(new CustomEvent("emoharbor:fresh"));
  }

  async function again(address = location.href) {
    const answer = await fetch(address, { credentials: "same-origin" });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${answer.status}`);
    swap(new DOMParser().parseFromString(text, "text/html"));
  }

  function rememberParts() {
    for (const part of document.querySelectorAll("[data-part]")) part.dataset.was = part.innerHTML;
  }

  // Ask every two seconds whether something is new, while the page is looked at; a run that stands still is asked less.
  async function follow() {
    const { live } = document.body.dataset;
    if (!live) return;
    let stamp = document.body.dataset.stamp;
    let told = 0;
    let wait = 2000;
    for (;;) {
      await new Promise((done) => setTimeout(done, wait));
      if (document.hidden) continue;
      try {
        const pulse = await (await fetch(live, { credentials: "same-origin" })).json();
        const fresh = pulse.stamp !== stamp;
        wait = pulse.going_on ? 2000 : 6000;
        if (fresh || pulse.finished) {
          stamp = pulse.stamp;
          await again();
        }
        if (pulse.finished || (fresh && Date.now() - told > 15000)) {
          told = Date.now();
          tell(`${pulse.done} of ${pulse.planned} episodes ended`);
        }
        if (pulse.finished) return;
      } catch {
        tell("The viewer does not answer; this page shows what was there before.");
      }
    }
  }

  // A page that says that its figures are still being made asks for itself until they are there.
  async function waitForFigures() {
    for (let wait = 300; document.querySelector("[data-again]"); wait = Math.min(wait * 1.5, 3000)) {
      await new Promise((done) => setTimeout(done, wait));
      if (document.getElementById("reading")) {
        const text = await (await fetch(location.href)).text();
        if (!text.includes('id="reading"')) location.reload();
      } else {
        await again();
      }
    }
  }

  actions.theme = () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    localStorage.setItem("emoharbor-theme", root.dataset.theme);
    announceTheme();
    tell(`${root.dataset.theme} colours`);
  };
  actions.help = () => document.getElementById("help").showModal();
  actions.close = (button) => button.closest("dialog").close();
  keys["?"] = actions.help;
  keys.t = actions.theme;
  keys.g = () => location.assign("/");
  keys["/"] = () => document.querySelector('input[type="search"], form.filters select')?.focus();
  for (const number of [1, 2, 3, 4]) {
    keys[number] = () => document.querySelectorAll("nav.tabs a")[number - 1]?.click();
  }

  function typing(target) {
    return target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]");
  }

  function start() {
    rememberParts();
    const single = document.getElementById("single-keys");
    single.checked = localStorage.getItem("emoharbor-keys") !== "off";
    single.addEventListener("change", () => localStorage.setItem("emoharbor-keys", single.checked ? "on" : "off"));
    document.addEventListener("click", (event) => {
      const button = event.target.closest("[data-do]");
      if (button && actions[button.dataset.do]) actions[button.dataset.do](button);
    });
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !single.checked) return;
      if (typing(event.target) || document.querySelector("dialog[open]")) return;
      const action = keys[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    });
    system.addEventListener("change", announceTheme);
    follow();
    waitForFigures();
  }

  return { actions, keys, start, swap, again, tell, go, isDark };
})();
window.emoharbor.start();
