// The ranking page: reading, ordering, ties, notes, times. What it holds is saved as a draft and nothing else is kept.
"use strict";

const desk = document.getElementById("ranking");
const api = `/api/sessions/${desk.dataset.session}`;
const list = document.getElementById("order");
const draft = JSON.parse(desk.dataset.draft);
const labels = [...list.children].map((item) => item.dataset.label);
const seconds = Object.fromEntries(labels.map((label) => [label, draft.seconds?.[label] ?? 0]));
const read = new Set(draft.read ?? []);
let current = labels[0];
let changed = false;
let ended = false;

const items = () => [...list.children];
const item = (label) => list.querySelector(`[data-label="${label}"]`);
const say = (words) => { document.getElementById("said").textContent = words; };

async function post(path, body) {
  const answer = await fetch(`${api}/${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const told = await answer.json();
  if (!answer.ok) throw new Error(`${told.error.message} ${told.error.hint}`);
  return told;
}

// Order and ties

function setTied(element, tied) {
  element.classList.toggle("is-tied", tied);
  element.querySelector('[data-do="tie"]').setAttribute("aria-pressed", String(tied));
}

function settle() {
  items().forEach((element, place) => {
    if (place === 0) setTied(element, false);
    element.querySelector('[data-do="up"]').disabled = place === 0;
    element.querySelector('[data-do="tie"]').disabled = place === 0;
    element.querySelector('[data-do="down"]').disabled = place === labels.length - 1;
    const tied = element.classList.contains("is-tied") ? ", tied with the one above" : "";
    element.setAttribute("aria-label", `Artifact ${element.dataset.label}, place ${place + 1} of ${labels.length}${tied}`);
  });
  changed = true;
}

function move(element, by) {
  const place = items().indexOf(element);
  const goal = place + by;
  if (goal < 0 || goal >= labels.length) return;
  const after = items()[place + 1];
  setTied(element, false);
  if (after) setTied(after, false);
  list.insertBefore(element, by < 0 ? items()[goal] : items()[goal].nextSibling);
  settle();
  say(`${element.dataset.label} is now in place ${goal + 1} of ${labels.length}.`);
}

function tie(element) {
  if (items()[0] === element) return;
  setTied(element, !element.classList.contains("is-tied"));
  settle();
  const above = element.previousElementSibling.dataset.label;
  const tied = element.classList.contains("is-tied");
  say(tied ? `${element.dataset.label} and ${above} can't be told apart.` : `${element.dataset.label} is below ${above}.`);
}

function note(element, focus = true) {
  const area = element.querySelector("textarea");
  area.hidden = focus ? !area.hidden : false;
  element.querySelector('[data-do="note"]').setAttribute("aria-expanded", String(!area.hidden));
  if (focus && !area.hidden) area.focus();
}

function groupsBestFirst() {
  const groups = [];
  for (const element of items()) {
    if (element.classList.contains("is-tied")) groups.at(-1).push(element.dataset.label);
    else groups.push([element.dataset.label]);
  }
  return groups;
}

const notes = () => Object.fromEntries(
  [...list.querySelectorAll("textarea")].filter((area) => area.value.trim()).map((area) => [area.dataset.note, area.value.trim()]),
);

list.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  const element = button.closest(".item");
  const does = { up: () => move(element, -1), down: () => move(element, 1), tie: () => tie(element), note: () => note(element) };
  does[button.dataset.do]();
  if (button.dataset.do !== "note") (button.disabled ? element : button).focus();
});

list.addEventListener("keydown", (event) => {
  if (!event.target.classList.contains("item")) return;
  const does = { ArrowUp: () => move(event.target, -1), ArrowDown: () => move(event.target, 1), "=": () => tie(event.target) };
  if (!does[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  does[event.key]();
  event.target.focus();
});

list.addEventListener("input", () => { changed = true; });

new Sortable(list, {
  handle: ".row",
  animation: 150,
  onEnd: (event) => {
    if (event.oldIndex === event.newIndex) return;
    setTied(event.item, false);
    const left = items()[event.newIndex < event.oldIndex ? event.oldIndex + 1 : event.oldIndex];
    if (left) setTied(left, false);
    const below = event.item.nextElementSibling;
    if (below) setTied(below, false);
    settle();
    say(`${event.item.dataset.label} is now in place ${event.newIndex + 1} of ${labels.length}.`);
  },
});

// Reading

function show(label) {
  current = label;
  document.querySelectorAll(".sheet").forEach((sheet) => sheet.classList.toggle("shown", sheet.dataset.label === label));
  document.querySelectorAll(".tab").forEach((tab) => tab.setAttribute("aria-pressed", String(tab.dataset.show === label)));
}

document.querySelectorAll(".tab").forEach((tab) => tab.addEventListener("click", () => show(tab.dataset.show)));

const view = document.getElementById("view");
function setView(together) {
  desk.classList.toggle("side-by-side", together);
  view.setAttribute("aria-pressed", String(together));
  changed = true;
}
view.addEventListener("click", () => setView(view.getAttribute("aria-pressed") !== "true"));

document.querySelectorAll(".sheet").forEach((sheet) => {
  for (const kind of ["pointerenter", "focusin"]) sheet.addEventListener(kind, () => { current = sheet.dataset.label; });
});

const ends = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    const label = entry.target.dataset.end;
    if (!entry.isIntersecting || read.has(label)) continue;
    setTimeout(() => {
      if (seconds[label] >= 2) { read.add(label); progress(); }
    }, 2500);
  }
});
document.querySelectorAll("[data-end]").forEach((end) => ends.observe(end));

const pad = (number) => String(number).padStart(2, "0");
function progress() {
  const whole = Math.round(Object.values(seconds).reduce((sum, value) => sum + value, 0));
  document.getElementById("timer").textContent = `${Math.floor(whole / 60)}:${pad(whole % 60)}`;
  document.getElementById("progress").firstChild.textContent = `${read.size} of ${labels.length} read to the end · `;
  for (const tab of document.querySelectorAll(".tab")) {
    const done = read.has(tab.dataset.show);
    tab.classList.toggle("read", done);
    tab.setAttribute("aria-label", `Artifact ${tab.dataset.show}${done ? ", read to the end" : ""}`);
  }
}

let ticks = 0;
setInterval(() => {
  if (ended) return;
  if (document.visibilityState === "visible") seconds[current] += 1;
  progress();
  ticks += 1;
  if (changed || ticks % 5 === 0) save();
}, 1000);

// One save after the other, so that none comes after the ranking.
let saving = Promise.resolve();
const save = () => { saving = saving.then(saveNow); return saving; };

async function saveNow() {
  if (ended) return;
  changed = false;
  const ties = items().filter((element) => element.classList.contains("is-tied")).map((element) => element.dataset.label);
  const order = items().map((element) => element.dataset.label);
  const together = desk.classList.contains("side-by-side");
  try {
    await post("draft", { order, ties, notes: notes(), seconds, read: [...read], view: together ? "side by side" : "one at a time" });
    document.getElementById("saved").textContent = "Your draft is kept. You can close the page and come back.";
  } catch {
    document.getElementById("saved").textContent = "The draft can't be saved: is Rubricator still running?";
  }
}

// Endings

const commitDialog = document.getElementById("commit-dialog");
const declineDialog = document.getElementById("decline-dialog");
document.querySelectorAll("[data-close]").forEach((button) => button.addEventListener("click", () => button.closest("dialog").close()));
document.getElementById("decline").addEventListener("click", () => declineDialog.showModal());
document.getElementById("commit").addEventListener("click", () => {
  document.getElementById("commit-order").textContent = groupsBestFirst().map((group) => group.join(" = ")).join(" > ");
  const unread = labels.filter((label) => !read.has(label));
  const warning = document.getElementById("commit-unread");
  warning.hidden = unread.length === 0;
  warning.textContent = `Not read to the end yet: ${unread.join(", ")}.`;
  document.getElementById("commit-problem").hidden = true;
  commitDialog.showModal();
});
document.getElementById("commit-yes").addEventListener("click", async (event) => {
  const problem = document.getElementById("commit-problem");
  event.target.disabled = true;
  try {
    await save();
    ended = true;
    await post("ranking", { ranking: groupsBestFirst().reverse(), notes: notes(), seconds });
    location.reload();
  } catch (error) {
    ended = false;
    problem.textContent = error.message;
    problem.hidden = false;
    event.target.disabled = false;
  }
});

// Resume

for (const label of draft.order ?? []) if (item(label)) list.append(item(label));
for (const label of draft.ties ?? []) if (item(label)) setTied(item(label), true);
for (const [label, words] of Object.entries(draft.notes ?? {})) {
  if (!item(label)) continue;
  item(label).querySelector("textarea").value = words;
  note(item(label), false);
}
setView(draft.view === "side by side");
show(current);
settle();
progress();
changed = false;
