// The trace of a message, step by step: a panel beside the phone, or a sheet over it on a narrow screen.

import { make } from "/static/nodes.js";
import { traceOf } from "./requests.js";
import { lang, texts } from "/static/texts.js";

const HIDDEN_DETAILS = new Set(["severity", "type", "pubsub_message_id", "is_dead_letter", "model"]);
const by = (id) => document.getElementById(id);
const wide = matchMedia("(min-width: 720px)");
const numbers = new Intl.NumberFormat(lang);

let eventIds = [];
let isFetching = false;
let isStale = false;
let drawn = "[]";
let closed = () => {};

/** Whether the panel is beside the phone, so that a click on a message can show its trace. */
export const hasRoom = () => wide.matches;

/** Shows the trace of these events. `takesFocus`: the person opened the panel by its menu entry. */
export function openTrace({ about, webhookEventIds, takesFocus, onClose }) {
  closed = onClose;
  by("trace-about").textContent = about;
  by("trace").hidden = false;
  lay();
  if (takesFocus || !wide.matches) by("trace-close").focus();
  if (webhookEventIds.join() !== eventIds.join()) draw([]);
  eventIds = webhookEventIds;
  refreshTrace();
}

/** Replaces the events of the shown message; `about` describes the message. */
export function updateTrace(about, webhookEventIds) {
  by("trace-about").textContent = about;
  if (webhookEventIds.join() === eventIds.join()) return;
  eventIds = webhookEventIds;
  refreshTrace();
}

/** Reads the trace again if it is shown; requests never overlap. */
export async function refreshTrace() {
  isStale = true;
  if (isFetching) return;
  isFetching = true;
  while (isStale && !by("trace").hidden) {
    isStale = false;
    const wanted = eventIds;
    try {
      const events = await Promise.all(wanted.map(traceOf));
      if (wanted === eventIds) draw(events);
    } catch {
      break; // the page shows that the connection is lost; the next change tries again
    }
  }
  isFetching = false;
}

export function closeTrace() {
  if (by("trace").hidden) return;
  const hadFocus = by("trace").contains(document.activeElement) || !wide.matches;
  by("trace").hidden = true;
  lay();
  closed(hadFocus);
}

/** A sheet blocks the rest of the page; a panel replaces the overview. */
function lay() {
  const isOpen = !by("trace").hidden;
  by("phone").inert = isOpen && !wide.matches;
  by("wire").hidden = isOpen;
}

function draw(events) {
  const known = events.filter((event) => event.steps.length > 0);
  const signature = JSON.stringify(known);
  by("trace-empty").hidden = known.length > 0 || events.length === 0;
  if (drawn === signature) return;
  drawn = signature;
  by("trace-steps").replaceChildren(...known.flatMap((event) => eventOf(event, known.length > 1)));
}

function eventOf({ type, steps }, hasTitle) {
  const list = make("ol", "steps", ...steps.map(stepOf));
  const title = texts.eventTypes[type] ?? type;
  list.setAttribute("aria-label", title ?? texts.trace);
  return hasTitle ? [make("h3", "", title), list] : [list];
}

function stepOf({ name, part, since_ms, details, is_failed, is_repeated }) {
  const words = make("span", "step-words", make("span", "step-name", texts.steps[name] ?? name));
  if (is_repeated) words.append(mark("again", "↻", texts.repeated));
  if (is_failed) words.append(mark("bad", "!", texts.failedStep));
  const told = detailsOf(name, details).map((text) => make("span", "", text));
  const body = make("div", "step-body", make("p", "step-top", words, make("span", "part", part)), told.length > 0 ? make("p", "step-details", ...told) : null);
  const since = make("span", "since", `+${numbers.format(since_ms)} ms`);
  return make("li", `step${is_failed ? " failed" : ""}`, since, body);
}

function mark(className, sign, label) {
  const drawn = make("span", "", `${sign} `);
  drawn.setAttribute("aria-hidden", "true");
  return make("span", `mark ${className}`, drawn, label);
}

/** The details in words; unknown ones are shown unchanged. */
function detailsOf(name, details) {
  const { prompt_tokens, cached_tokens, output_tokens, thought_tokens, ...others } = details;
  const told = name === "event_created" && details.type ? [texts.eventTypes[details.type] ?? details.type] : [];
  if (prompt_tokens !== undefined) told.push(texts.tokens(prompt_tokens, output_tokens, cached_tokens, thought_tokens));
  for (const [key, value] of Object.entries(others)) {
    if (HIDDEN_DETAILS.has(key) || value === null) continue;
    if (key === "delivery_attempt" && value === 1 && name !== "push_started") continue;
    const text = key in texts.details ? texts.details[key](value) : `${key}: ${plain(value)}`;
    if (text) told.push(text);
  }
  return told;
}

const plain = (value) => (typeof value === "object" ? JSON.stringify(value) : String(value));

wide.addEventListener("change", () => {
  lay();
  if (!by("trace").hidden && !wide.matches) by("trace-close").focus();
});
by("trace-close").addEventListener("click", closeTrace);
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.defaultPrevented) return;
  const { activeElement } = document;
  if (!wide.matches || activeElement === document.body || activeElement.closest("#trace, [aria-current]")) closeTrace();
});
document.addEventListener("pointerdown", (event) => {
  if (!wide.matches && !by("trace").contains(event.target)) closeTrace();
});
