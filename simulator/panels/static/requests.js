// The HTTP API of the panels.

import { bodyOf } from "/static/platform.js";

/** The trace of an event: `{type, steps}`. */
export async function traceOf(webhookEventId) {
  return bodyOf(await fetch(`/simulator/trace/${encodeURIComponent(webhookEventId)}`));
}

/** The knowledge base of a chat: `{index, entries: [{path, generation}]}`. */
export async function entriesOf(chatId) {
  return bodyOf(await fetch(`/simulator/filed/${encodeURIComponent(chatId)}`));
}

/** What is due in a chat: `{reminders: [{id, kind, text, rule, zone, next_ms, waits}]}`, the next one first. */
export async function dueOf(chatId) {
  return bodyOf(await fetch(`/simulator/due/${encodeURIComponent(chatId)}`));
}

/** The text of an entry in the bucket: `{text}`. Throws where it does not exist. */
export async function entryText(chatId, path) {
  return bodyOf(await fetch(`/simulator/filed/${encodeURIComponent(chatId)}/${path.split("/").map(encodeURIComponent).join("/")}`));
}

/** What is remembered of a chat: `{months, lines, left_out}`; `choice` is `{month}` or `{query}`. */
export async function memoryOf(chatId, choice) {
  return bodyOf(await fetch(`/simulator/memory/${encodeURIComponent(chatId)}?${new URLSearchParams(choice)}`));
}
