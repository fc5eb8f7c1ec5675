// The talk page: send without loading the page again, and say that the person is being waited for.
"use strict";

{
  const app = window.emoharbor;

  async function send(form) {
    const field = form.querySelector("textarea"), button = form.querySelector("button");
    if (!field.value.trim() || button.disabled) return;
    const body = new URLSearchParams(new FormData(form));
    button.disabled = field.readOnly = true;
    form.querySelector("#waiting").textContent = "waiting for an answer …";
    try {
      const answer = await fetch(form.action, { method: "POST", body, credentials: "same-origin" });
      if (!answer.ok) throw new Error(String(answer.status));
      app.swap(new DOMParser().parseFromString(await answer.text(), "text/html"));
      const said = document.getElementById("said");
      said.lastElementChild?.scrollIntoView({ block: "nearest" });
      document.querySelector("#say textarea, #reply a")?.focus();
    } catch {
      form.querySelector("#waiting").textContent = "It was not sent: the viewer does not answer. Your words are still here.";
      button.disabled = field.readOnly = false;
    }
  }

  document.addEventListener("submit", (event) => {
    if (event.target.id !== "say") return;
    event.preventDefault();
    send(event.target);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.id === "text") {
      event.preventDefault();
      send(event.target.form);
    }
  });
}
