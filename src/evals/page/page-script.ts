// The script of the page: filters and order of the trials, and the dialog with a trial. It writes texts as texts, never as markup.

/** The script, as the page has it. */
export const pageScript = `
"use strict";
(() => {
  const form = document.getElementById("filters");
  if (!form) return;
  const body = document.querySelector(".trials tbody");
  const rows = [...body.rows];
  const dialog = document.getElementById("trial");
  const fields = ["arm", "task", "result", "ending"];
  const texts = new Map();
  const step = Number(document.querySelector(".trials").dataset.step);
  const more = document.getElementById("more");
  let shown = rows;
  let most = step;

  const filter = () => {
    const fitting = new Map();
    const words = form.elements.words.value.toLowerCase().split(/\\s+/).filter(Boolean);
    const wanted = fields.map((name) => [name, form.elements[name].value]).filter(([, value]) => value !== "");
    for (const row of rows) {
      let fits = wanted.every(([name, value]) => row.dataset[name] === value);
      if (fits && words.length > 0) {
        if (!texts.has(row)) texts.set(row, (row.dataset.id + " " + row.textContent).toLowerCase());
        fits = words.every((word) => texts.get(row).includes(word));
      }
      fitting.set(row, fits);
    }
    shown = [...body.rows].filter((row) => fitting.get(row));
    layOut();
    document.getElementById("none").hidden = shown.length > 0;
    document.getElementById("shown").value =
      (shown.length === rows.length ? "" : shown.length + " of ") + rows.length + (rows.length === 1 ? " trial" : " trials");
  };

  const layOut = () => {
    const visible = new Set(shown.slice(0, most));
    for (const row of rows) row.hidden = !visible.has(row);
    more.hidden = shown.length <= most;
    more.firstChild.textContent = "Show " + Math.min(step, shown.length - most) + " more";
  };

  const order = (column, up) => {
    const button = document.querySelector('[data-column="' + column + '"]');
    const isNumber = button.dataset.kind === "number";
    const value = (row) => (isNumber ? Number(row.cells[column].dataset.value) : row.cells[column].dataset.value);
    const sign = up ? 1 : -1;
    const compare = (a, b) => (isNumber ? a - b : a < b ? -1 : a > b ? 1 : 0);
    const keyed = rows.map((row, index) => ({ row, index, key: value(row) }));
    keyed.sort((a, b) => sign * compare(a.key, b.key) || a.index - b.index);
    body.append(...keyed.map(({ row }) => row));
    for (const head of document.querySelectorAll(".trials thead th")) head.removeAttribute("aria-sort");
    button.parentElement.setAttribute("aria-sort", up ? "ascending" : "descending");
    form.elements.order.value = String(column);
    filter();
  };

  const element = (tag, kind, text) => {
    const made = document.createElement(tag);
    if (kind) made.className = kind;
    if (text !== undefined) made.textContent = text;
    return made;
  };

  const unpack = async (text) => {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return JSON.parse(await new Response(stream).text());
  };

  const time = (after) => (after < 1000 ? after + " ms" : after < 60000 ? (after / 1000).toFixed(1) + " s" : (after / 60000).toFixed(1) + " min");

  const line = ({ label, text, tone, after }) => {
    const item = element("li", "line tone-" + tone);
    const head = element("p", "line-head");
    head.append(element("span", "line-label", label));
    if (tone === "step") head.append(element("span", "dim", text));
    head.append(element("span", "line-time dim", time(after)));
    item.append(head);
    if (tone !== "step" && text !== "") {
      const block = element("pre", "", text);
      if (text.split("\\n").length > 14 || text.length > 1400) {
        const details = element("details");
        details.append(element("summary", "dim", text.split("\\n").length + " lines: " + text.slice(0, 100).split("\\n")[0]), block);
        item.append(details);
      } else item.append(block);
    }
    return item;
  };

  const draw = (trial) => {
    const parts = [];
    const facts = element("dl", "facts");
    facts.append(fact("result", trial.result), ...trial.facts.map(([name, value]) => fact(name, value)));
    parts.push(facts);
    if (trial.why !== "") parts.push(element("h3", "", "Reason"), element("pre", "", trial.why));
    parts.push(element("h3", "", "Journal"));
    const list = element("ol", "journal");
    list.append(...trial.lines.map(line));
    if (trial.left > 0) parts.push(element("p", "dim", "The journal is left out, because this file would become too large. The session of the trial has it."));
    else if (trial.lines.length === 0) parts.push(element("p", "dim", "There is no journal: a command keeps none."));
    else parts.push(list);
    return parts;
  };

  const fact = (name, value) => {
    const pair = element("div");
    pair.append(element("dt", "", name), element("dd", "", value));
    return pair;
  };

  let open;
  const show = async (id) => {
    const packed = [...document.querySelectorAll("script[data-trial]")].find((part) => part.dataset.trial === id);
    if (!packed) return;
    open = id;
    document.getElementById("trial-title").textContent = id;
    const at = shown.findIndex((row) => row.dataset.id === id);
    document.getElementById("before").disabled = at < 1;
    document.getElementById("next").disabled = at < 0 || at + 1 >= shown.length;
    const place = document.getElementById("trial-body");
    if (!dialog.open) dialog.showModal();
    let parts;
    try {
      parts = draw(await unpack(packed.textContent));
    } catch (problem) {
      parts = [element("p", "", "This browser can't read the journal: " + problem)];
    }
    if (open !== id) return;
    place.replaceChildren(...parts);
    dialog.scrollTop = 0;
  };

  const turn = (by) => {
    const next = shown[shown.findIndex((row) => row.dataset.id === open) + by];
    if (next) location.replace("#trial=" + encodeURIComponent(next.dataset.id));
  };

  const go = () => {
    const wanted = new URLSearchParams(location.hash.slice(1));
    if (wanted.has("trial")) return void show(wanted.get("trial"));
    open = undefined;
    if (dialog.open) dialog.close();
    if (!fields.some((name) => wanted.has(name))) return;
    form.elements.words.value = "";
    for (const name of fields) form.elements[name].value = wanted.get(name) ?? "";
    filter();
    document.getElementById("trials").scrollIntoView();
  };

  form.addEventListener("input", (event) => {
    if (event.target.name === "order") order(Number(event.target.value), true);
    else filter();
  });
  more.firstChild.addEventListener("click", () => {
    const next = shown[most];
    most += step;
    layOut();
    next.querySelector("a").focus();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => order(0, true)));
  document.querySelector(".trials thead").addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) order(Number(button.dataset.column), button.parentElement.getAttribute("aria-sort") !== "ascending");
  });
  body.addEventListener("click", (event) => {
    if (event.target.closest("a") || String(getSelection()) !== "") return;
    event.target.closest("tr").querySelector("a").click();
  });
  document.getElementById("before").addEventListener("click", () => turn(-1));
  document.getElementById("next").addEventListener("click", () => turn(1));
  document.getElementById("close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => {
    const id = open;
    open = undefined;
    if (location.hash.startsWith("#trial=")) history.replaceState(null, "", "#trials");
    const row = rows.find((one) => one.dataset.id === id);
    if (row && !row.hidden) row.querySelector("a").focus();
  });
  addEventListener("hashchange", go);
  go();
})();
`;
