// The laboratory: what goes wrong with deliveries and the API, and a composer for any message that a bot might send.

import { make } from "./nodes.js";
import { act } from "./platform.js";
import { SAMPLES } from "./samples.js";
import { texts } from "./texts.js";
import { view } from "./view.js";

const USUAL_TIMEOUT_S = 2;
const NO_TIME_S = 0.01;
const EVERY_CALL = "/v2/bot/";
const FAULTS = { none: null, 429: { error_status: 429 }, 500: { error_status: 500 }, slow: { delay_s: 5 }, cut: { answer: "cut" } };
const by = (id) => document.getElementById(id);
const dialog = by("lab");

/** The name under which the page offers a fault of every call. */
function nameOf(fault) {
  const isLike = (known) => known && Object.entries(known).every(([name, value]) => fault[name] === value);
  return (fault && Object.keys(FAULTS).find((name) => isLike(FAULTS[name]))) || "none";
}

/** Attaches the dialog. `ask(name, body)` carries out an action and returns its result, or null. */
export function attachLab({ ask }) {
  const { elements } = by("deliveries");
  by("lab-button").addEventListener("click", () => dialog.showModal());
  by("lab-close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });

  by("deliveries").addEventListener("submit", (event) => event.preventDefault());
  by("deliveries").addEventListener("change", () => {
    if (!by("deliveries").checkValidity()) return;
    ask("switches", {
      redelivers: elements.redelivers.checked,
      timeout_s: elements.slow.checked ? NO_TIME_S : USUAL_TIMEOUT_S,
      mode: elements.standby.checked ? "standby" : "active",
      edits_have_tokens: !elements.tokenless.checked,
      duplicates: Number(elements.duplicates.value),
      delay_s: Number(elements.delay.value),
    });
  });

  by("fault").replaceChildren(...Object.keys(FAULTS).map((name) => new Option(texts.fault[name], name)));
  by("fault").value = "none";
  by("fault").addEventListener("change", async () => {
    await ask("clear_faults", {});
    const fault = FAULTS[by("fault").value];
    if (fault) await ask("add_fault", { path: EVERY_CALL, ...fault });
  });

  by("sample").replaceChildren(...Object.keys(SAMPLES).map((name) => new Option(texts.sample[name], name)));
  by("sample").addEventListener("change", fillIn);
  by("bot-message").addEventListener("submit", (event) => {
    event.preventDefault();
    send(event.submitter?.value !== "show");
  });
  fillIn();

  /** Shows the switches and the API's fault as they are. */
  return function show({ switches, faults }) {
    if (document.activeElement !== by("fault")) by("fault").value = nameOf(faults.find(({ path }) => path === EVERY_CALL));
    elements.redelivers.checked = switches.redelivers;
    elements.slow.checked = switches.timeout_s < USUAL_TIMEOUT_S;
    elements.standby.checked = switches.mode === "standby";
    elements.tokenless.checked = !switches.edits_have_tokens;
    for (const [input, value] of [[elements.duplicates, switches.duplicates], [elements.delay, switches.delay_s]]) {
      if (document.activeElement !== input) input.value = value;
    }
  };
}

function fillIn() {
  by("messages").value = JSON.stringify(SAMPLES[by("sample").value], null, 1);
  by("bot-message-result").replaceChildren();
}

async function send(only_checks) {
  let messages;
  try {
    const given = JSON.parse(by("messages").value);
    messages = Array.isArray(given) ? given : (given.messages ?? [given]);
  } catch (error) {
    tell(texts.noJson(error.message));
    return;
  }
  try {
    await act("say_as_bot", { chat_id: view.chatId, messages, only_checks });
    tell(texts.isFine, [], true);
    if (!only_checks) dialog.close();
  } catch (error) {
    tell(error.message, error.details);
  }
}

function tell(message, details = [], isFine = false) {
  const lines = details.map((one) => make("li", "", make("code", "", one.property ?? ""), ` ${one.message}`));
  by("bot-message-result").className = `lab-result ${isFine ? "good" : "wrong"}`;
  by("bot-message-result").replaceChildren(make("p", "", message), make("ul", "", ...lines));
  by("bot-message-result").scrollIntoView({ block: "nearest" });
}
