// The wire: deliveries to the webhook and the bot's calls; a line opens to show its bodies.

import { make } from "./nodes.js";
import { deliveriesNow, requestsNow } from "./platform.js";
import { secondOf, texts } from "./texts.js";
import { view } from "./view.js";

const by = (id) => document.getElementById(id);
let drawn = "";

/** Shows the newest facts first. */
export function showWire() {
  const signature = JSON.stringify(view.state.facts);
  if (drawn === signature) return;
  drawn = signature;
  const open = by("facts").querySelector("details[open]")?.dataset.key;
  const lines = view.state.facts.toReversed().map(factNode);
  by("facts").replaceChildren(...lines);
  const again = open && lines.find((line) => line.firstElementChild.dataset.key === open);
  if (again) again.firstElementChild.open = true;
}

function factNode(fact) {
  const took = fact.duration_ms === undefined ? "" : ` · ${fact.duration_ms} ms`;
  const line = make(
    "summary",
    "",
    make("span", "when", secondOf(fact.at_ms)),
    make("span", "", fact.way === "to_webhook" ? "→" : "←"),
    make("span", "what", fact.what + (fact.is_redelivery ? ` (${texts.redelivery})` : "")),
    make("span", "", make("span", "status", texts.reasons[fact.status] ?? fact.status), make("span", "took", took)),
  );
  const inside = make("div", "fact-bodies");
  const details = make("details", fact.is_fine ? "" : "bad", line, inside);
  details.dataset.key = fact.key;
  details.addEventListener("toggle", () => details.open && fill(inside, fact));
  return make("li", "", details);
}

async function fill(inside, fact) {
  try {
    inside.replaceChildren(...(fact.way === "to_webhook" ? await deliveryNodes(fact) : await requestNodes(fact)));
  } catch {
    inside.textContent = texts.factGone;
  }
}

async function deliveryNodes({ key }) {
  const found = (await deliveriesNow()).findLast((one) => `${one.started_ms} ${one.signature}` === key);
  return found ? [...named("x-line-signature", found.signature), ...named(texts.body, pretty(found.body)), ...(found.detail ? named(texts.answer, found.detail) : [])] : [texts.factGone];
}

async function requestNodes({ key }) {
  const found = (await requestsNow()).findLast((one) => one.request_id === key);
  return found ? [...(found.body ? named(texts.body, pretty(found.body)) : []), ...named(texts.answer, `${found.status} ${pretty(found.answer)}`)] : [texts.factGone];
}

/** A body with its name. */
export const named = (name, text) => [make("p", "body-name", name), make("pre", "body", text)];

/** JSON with its indents; any other text as it is. */
export function pretty(body) {
  try {
    return JSON.stringify(typeof body === "string" ? JSON.parse(body) : body, null, 1);
  } catch {
    return String(body);
  }
}
