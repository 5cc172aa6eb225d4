// The knowledge base of the chat: a drawer beside the phone, or a sheet over it on a narrow screen.

import { make } from "/static/nodes.js";
import { entriesOf, entryText } from "./requests.js";
import { texts } from "/static/texts.js";

const by = (id) => document.getElementById(id);
const drawer = by("filed");
const wide = matchMedia("(min-width: 720px)");
const drawn = new Map(); // by path: {node, generation, load}

let chatId = null;
let isFetching = false;
let isStale = false;

let opened = () => {};

/** The button opens and closes the drawer; `onOpen` makes room for it, `onOpened` fills what else is in it. */
export function attachKnowledge({ onOpen, onOpened }) {
  opened = onOpened;
  by("filed-button").addEventListener("click", () => {
    if (drawer.open) return drawer.close();
    onOpen();
    open();
  });
  by("filed-close").addEventListener("click", () => drawer.close());
  drawer.addEventListener("click", (event) => {
    if (event.target === drawer) drawer.close(); // beside the sheet
  });
  drawer.addEventListener("close", () => {
    if (drawer.open) return; // the width of the screen changed, and the drawer was opened again
    by("filed-button").setAttribute("aria-expanded", "false");
    if (!wide.matches || document.activeElement === document.body) by("filed-button").focus();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || !drawer.open) return;
    if (drawer.matches(":modal") || drawer.contains(document.activeElement)) drawer.close();
  });
  wide.addEventListener("change", () => {
    if (!drawer.open) return;
    drawer.close();
    open();
  });
}

export const closeKnowledge = () => drawer.close();

/** Shows the entries of another chat. */
export function showKnowledge(newChatId) {
  if (newChatId === chatId) return;
  chatId = newChatId;
  clear();
  refreshKnowledge();
}

/** Reads the entries again if the drawer is open; requests never overlap. */
export async function refreshKnowledge() {
  isStale = true;
  if (isFetching) return;
  isFetching = true;
  while (isStale && drawer.open) {
    isStale = false;
    const wanted = chatId;
    try {
      const filed = await entriesOf(wanted);
      if (wanted === chatId) draw(filed);
    } catch {
      break; // the page shows that the connection is lost; the next change tries again
    }
  }
  isFetching = false;
}

function open() {
  if (wide.matches) drawer.show();
  else drawer.showModal();
  by("filed-button").setAttribute("aria-expanded", "true");
  refreshKnowledge();
  opened();
}

function clear() {
  drawn.clear();
  by("filed-entries").replaceChildren();
  by("filed-index").textContent = "";
  by("filed-index-box").hidden = true;
}

/** Draws the entries; open ones stay open. An entry is read when it is opened, and after a change. */
function draw({ index, entries }) {
  by("filed-empty").hidden = entries.length > 0;
  by("filed-index-box").hidden = index === null;
  by("filed-index").textContent = index ?? "";
  const paths = new Set(entries.map(({ path }) => path));
  for (const path of [...drawn.keys()]) if (!paths.has(path)) drawn.delete(path);
  for (const { path, generation } of entries) {
    const known = drawn.get(path) ?? entryOf(path);
    drawn.set(path, known);
    if (known.generation === generation) continue;
    known.generation = generation;
    if (known.node.open) known.load();
  }
  const categories = grouped(entries);
  by("filed-entries").replaceChildren(...[...categories].flatMap(([category, of]) => [make("h3", "", texts.categories[category] ?? category), ...of.map(({ path }) => drawn.get(path).node)]));
}

const categoryOf = ({ path }) => path.split("/")[0];

function grouped(entries) {
  const groups = new Map();
  for (const entry of entries) groups.set(categoryOf(entry), [...(groups.get(categoryOf(entry)) ?? []), entry]);
  return groups;
}

function entryOf(path) {
  const text = make("pre", "filed-text");
  const name = path.slice(path.indexOf("/") + 1).replace(/\.md$/, "");
  const node = make("details", "filed-entry", make("summary", "", name), text);
  node.dataset.path = path;
  const of = chatId;
  const load = async () => {
    try {
      text.textContent = (await entryText(of, path)).text;
    } catch {
      text.textContent = texts.filedGone;
    }
  };
  node.addEventListener("toggle", () => node.open && load());
  return { node, generation: null, load };
}
