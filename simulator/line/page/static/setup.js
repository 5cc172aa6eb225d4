// The first screen for a new bot: what to set in it, for each SDK, and a light for the last call of its webhook.

import { ask, complain } from "./actions.js";
import { make } from "./nodes.js";
import { deliveriesNow, setupNow } from "./platform.js";
import { snippets } from "./snippets.js";
import { secondOf, texts } from "./texts.js";
import { view } from "./view.js";
import { named, pretty } from "./wire.js";

const by = (id) => document.getElementById(id);
let setup = null;
let language = "Python";
let lightKey = null;

/** Shows the screen that explains how to connect a bot. */
export async function showSetup() {
  if (!view.state.has_setup) return;
  if (setup === null || setup.webhook_url !== view.state.webhook_url) {
    const isFirst = setup === null;
    setup = { webhook_url: view.state.webhook_url };
    try {
      setup = await setupNow();
    } catch (error) {
      complain(error.message);
    }
    if (isFirst) {
      by("setup-button").hidden = false;
      by("setup-language").replaceChildren(...Object.keys(snippets(location.origin, setup)).map(tab));
      open(!view.state.facts.some((fact) => fact.way === "to_webhook" && fact.is_fine));
    }
    if (document.activeElement !== by("setup-webhook")) by("setup-webhook").value = setup.webhook_url;
    by("setup-values").replaceChildren(
      ...value(texts.apiAddress, location.origin),
      ...value(texts.channelSecret, setup.channel_secret),
      ...value(texts.channelToken, setup.channel_access_token),
      ...value(texts.channelId, setup.channel_id),
    );
    showSnippet();
  }
  showLight();
}

async function showLight() {
  const last = view.state.facts.findLast((fact) => fact.way === "to_webhook");
  const key = last?.key ?? "none";
  if (key === lightKey) return;
  lightKey = key;
  const light = by("setup-light");
  light.className = last ? (last.is_fine ? "light good" : "light wrong") : "light";
  light.textContent = last ? texts.lastCall(last.is_fine, texts.reasons[last.status] ?? last.status, secondOf(last.at_ms), last.duration_ms) : texts.noCall;
  by("setup-call").hidden = !last;
  if (!last) return;
  const found = (await deliveriesNow()).findLast((one) => `${one.started_ms} ${one.signature}` === key);
  if (!found) return;
  by("setup-call-body").replaceChildren(
    ...(last.is_fine ? [] : [make("p", "setup-hint", texts.hints[found.reason] ?? found.detail)]),
    ...named("x-line-signature", found.signature),
    ...named(texts.body, pretty(found.body)),
  );
}

function value(name, text) {
  const copy = make("button", "quiet", texts.copy);
  copy.type = "button";
  copy.setAttribute("aria-label", `${texts.copy}: ${name}`);
  copy.addEventListener("click", () => navigator.clipboard?.writeText(text));
  return [make("dt", "", name), make("dd", "", make("code", "", text), copy)];
}

function tab(name) {
  const button = make("button", "quiet", name);
  button.type = "button";
  button.addEventListener("click", () => {
    language = name;
    showSnippet();
  });
  return button;
}

function showSnippet() {
  by("setup-snippet").textContent = snippets(location.origin, setup)[language];
  for (const button of by("setup-language").children) button.setAttribute("aria-pressed", String(button.textContent === language));
}

function open(isOpen) {
  by("setup").hidden = !isOpen;
  by("setup-button").setAttribute("aria-expanded", String(isOpen));
}

by("setup-button").addEventListener("click", () => open(by("setup").hidden));
by("setup-close").addEventListener("click", () => open(false));
by("setup-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const url = by("setup-webhook").value.trim();
  if (url && (await ask("set_webhook", { url }))) await ask("verify", {});
});
