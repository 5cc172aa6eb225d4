// Sentences to tap, which all work with the stand-in: beside the phone, and in the tray of the composer.

import { attempt } from "/static/actions.js";
import { make } from "/static/nodes.js";
import { act } from "/static/platform.js";
import { lang, texts } from "/static/texts.js";
import { openTray } from "/static/tray.js";
import { chat, view } from "/static/view.js";

const by = (id) => document.getElementById(id);

/** Draws the sentences of `examples.json`, and the switch of a slow model. What `needs` something is hidden until `showNeeded`. */
export async function attachExamples() {
  by("slow-model").addEventListener("change", (event) => act("model", { seconds: event.target.checked ? 25 : 0 }));
  const groups = await (await fetch("/panels/stack/examples.json")).json();
  for (const { ability, sentences, needs } of groups) {
    for (const [place, heading] of [["examples", "h3"], ["tray", "h2"]]) {
      const chips = make("div", "example-row", ...sentences.map((one) => chipOf(one[lang])));
      const group = make("div", "example-group", make(heading, "", ability[lang]), chips);
      if (needs) [group.dataset.needs, group.hidden] = [needs, true];
      by(place).append(group);
    }
  }
}

/** Shows the sentences that need tool servers, if there are any: `showNeeded({tool_servers: true})`. */
export function showNeeded(available) {
  for (const group of document.querySelectorAll("[data-needs]")) group.hidden = !available[group.dataset.needs];
}

/** Shows the switch for `latency_s` seconds; null: a real model answers. */
export function showSlowModel(latency_s) {
  by("slow-model-row").hidden = latency_s === null;
  by("slow-model").checked = latency_s >= 20;
}

function chipOf(sentence) {
  const chip = make("button", "example", sentence);
  chip.type = "button";
  chip.addEventListener("click", () => {
    openTray(false);
    say(sentence);
  });
  return chip;
}

// In groups and rooms the account has to be mentioned.
function say(sentence) {
  const { bot } = view.state;
  const said = chat().kind === "user" ? { text: sentence } : { text: `@${bot.display_name} ${sentence}`, mentioning: [bot.user_id] };
  attempt("say", said);
}
