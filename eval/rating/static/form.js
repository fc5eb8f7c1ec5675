"use strict";
// The fields are the state. Nothing is stored; a file is the only way out, and the only way back in.
(() => {
  const body = document.body;
  const sections = [...document.querySelectorAll("section[data-item]")];
  const sets = [...document.querySelectorAll("fieldset[data-dimension]")];
  let unsaved = false;

  const chosen = (set) => set.querySelector("input:checked");
  const open = () => sets.filter((set) => !chosen(set));

  function progress() {
    const left = open().length;
    const done = sections.filter((section) => [...section.querySelectorAll("fieldset")].every(chosen)).length;
    document.getElementById("progress").textContent =
      `${sets.length - left} of ${sets.length} questions answered, ${done} of ${sections.length} dialogues done` +
      (unsaved ? "; not downloaded yet" : "");
  }

  function ratings() {
    return sections.flatMap((section) =>
      [...section.querySelectorAll("fieldset")].filter(chosen).map((set) => {
        const value = chosen(set).value;
        return { item: section.dataset.item, dimension: set.dataset.dimension, score: value === "null" ? null : Number(value) };
      }),
    );
  }

  function remarks() {
    const found = {};
    for (const section of sections) {
      const text = section.querySelector("[data-remark]").value.trim();
      if (text) found[section.dataset.item] = text;
    }
    return found;
  }

  function download(name, type, text) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    unsaved = false;
    progress();
  }

  const file = (end) => `ratings-${body.dataset.pack}-${body.dataset.rater}.${end}`;
  const cell = (value) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);

  document.getElementById("save-json").addEventListener("click", () => {
    const data = { pack: body.dataset.pack, rater: body.dataset.rater, rubric: body.dataset.rubric, ratings: ratings(), remarks: remarks() };
    download(file("json"), "application/json", JSON.stringify(data, null, 1));
  });

  document.getElementById("save-csv").addEventListener("click", () => {
    const notes = remarks();
    const rows = ratings().map((row) => [body.dataset.pack, body.dataset.rater, row.item, row.dimension, row.score === null ? "null" : String(row.score), notes[row.item] ?? ""]);
    const text = [["pack", "rater", "item", "dimension", "score", "remark"], ...rows].map((row) => row.map(cell).join(",")).join("\r\n");
    download(file("csv"), "text/csv", `${text}\r\n`);
  });

  document.getElementById("next").addEventListener("click", () => {
    const next = open()[0];
    if (!next) return;
    next.scrollIntoView({ block: "center" });
    next.querySelector("input").focus({ preventScroll: true });
  });

  document.getElementById("load").addEventListener("change", async (event) => {
    const status = document.getElementById("progress");
    try {
      const data = JSON.parse(await event.target.files[0].text());
      if (data.pack !== body.dataset.pack || data.rater !== body.dataset.rater) {
        status.textContent = "This file belongs to another form.";
        return;
      }
      const wanted = new Map(data.ratings.map((row) => [`${row.item}-${row.dimension}`, String(row.score)]));
      for (const input of document.querySelectorAll("input[type=radio]")) input.checked = wanted.get(input.name) === input.value;
      for (const section of sections) section.querySelector("[data-remark]").value = data.remarks?.[section.dataset.item] ?? "";
      unsaved = false;
      progress();
    } catch {
      status.textContent = "This file cannot be read; load a file that this form has made.";
    }
  });

  document.addEventListener("input", (event) => {
    if (event.target.id === "load") return;
    unsaved = true;
    progress();
  });
  window.addEventListener("beforeunload", (event) => {
    if (unsaved) event.preventDefault();
  });
  progress();
})();
