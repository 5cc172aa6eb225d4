// What the bot remembers of the chat: messages and answers by month, with a search, in the drawer of the knowledge base.

import { make } from "/static/nodes.js";
import { memoryOf } from "./requests.js";
import { texts } from "/static/texts.js";

const by = (id) => document.getElementById(id);
const drawer = by("filed");
const months = new Map(); // by month: {node, load}

let chatId = null;
let isFetching = false;
let isStale = false;

export function attachMemory() {
  by("memory-search").addEventListener("input", refreshMemory);
}

/** Shows what is remembered of another chat. */
export function showMemory(newChatId) {
  if (newChatId === chatId) return;
  chatId = newChatId;
  months.clear();
  by("memory-search").value = "";
  by("memory-months").replaceChildren();
  by("memory-found").replaceChildren();
  refreshMemory();
}

/** Reads it again if the drawer is open; requests never overlap. */
export async function refreshMemory() {
  isStale = true;
  if (isFetching) return;
  isFetching = true;
  while (isStale && drawer.open) {
    isStale = false;
    const [wanted, query] = [chatId, by("memory-search").value.trim()];
    try {
      const memory = await memoryOf(wanted, query ? { query } : {});
      if (wanted === chatId) draw(memory, query);
    } catch {
      break; // the page shows that the connection is lost; the next change tries again
    }
  }
  isFetching = false;
}

function draw(memory, query) {
  by("memory-empty").hidden = memory.months.length > 0;
  by("memory-found").hidden = !query;
  by("memory-months").hidden = Boolean(query);
  if (query) {
    by("memory-found").replaceChildren(...(memory.lines.length > 0 ? drawLines(memory) : [make("p", "filed-hint", texts.memoryNotFound)]));
    return;
  }
  const there = new Set(memory.months.map(({ month }) => month));
  for (const month of [...months.keys()]) if (!there.has(month)) months.delete(month);
  for (const { month, count } of memory.months) {
    const known = months.get(month) ?? monthOf(month);
    months.set(month, known);
    known.summary.textContent = texts.memoryMonth(month, count);
    if (known.node.open) known.load();
  }
  by("memory-months").replaceChildren(...memory.months.map(({ month }) => months.get(month).node));
}

function monthOf(month) {
  const lines = make("div", "memory-lines");
  const summary = make("summary", "");
  const node = make("details", "filed-entry", summary, lines);
  const of = chatId;
  const load = async () => {
    try {
      lines.replaceChildren(...drawLines(await memoryOf(of, { month })));
    } catch {
      lines.replaceChildren();
    }
  };
  node.addEventListener("toggle", () => node.open && load());
  return { node, summary, load };
}

function drawLines({ lines, left_out }) {
  const drawn = lines.map(({ at, who, text }) => make("p", "memory-line", make("span", "took", `${at} ${who}`), make("span", "memory-text", text)));
  return left_out > 0 ? [make("p", "filed-hint", texts.memoryLeftOut(left_out)), ...drawn] : drawn;
}
