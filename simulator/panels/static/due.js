// What is due in the chat: a section of the drawer with what was filed.

import { make } from "/static/nodes.js";
import { lang, texts } from "/static/texts.js";
import { dueOf } from "./requests.js";

const by = (id) => document.getElementById(id);

let chatId = null;
let isFetching = false;
let isStale = false;

/** Shows what is due in another chat. */
export function showDue(newChatId) {
  if (newChatId === chatId) return;
  chatId = newChatId;
  draw([]);
  refreshDue();
}

/** Reads it again; requests never overlap. */
export async function refreshDue() {
  isStale = true;
  if (isFetching || chatId === null) return;
  isFetching = true;
  while (isStale) {
    isStale = false;
    const wanted = chatId;
    try {
      const { reminders } = await dueOf(wanted);
      if (wanted === chatId) draw(reminders);
    } catch {
      break; // the page shows that the connection is lost; the next change tries again
    }
  }
  isFetching = false;
}

function draw(reminders) {
  by("due").hidden = reminders.length === 0;
  by("due-list").replaceChildren(...reminders.map(lineOf));
}

function lineOf({ text, kind, recurs, zone, next_ms, waits }) {
  const when = new Date(next_ms).toLocaleString(lang, { timeZone: zone, month: "numeric", day: "numeric", weekday: "short", hour: "2-digit", minute: "2-digit" });
  const facts = [when, recurs[lang], kind === "text" ? null : texts.digest, waits ? texts.waits : null].filter(Boolean);
  return make("li", "due-line", make("span", "due-text", text), make("span", "took", facts.join(" · ")));
}
