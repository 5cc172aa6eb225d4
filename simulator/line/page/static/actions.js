// The actions of the chosen person in the chosen chat, and the action objects of LINE's buttons.

import { PLACES } from "./palette.js";
import { act } from "./platform.js";
import { openTray } from "./tray.js";
import { view } from "./view.js";

const by = (id) => document.getElementById(id);

/** Shows the text as an error, or hides the error without one. */
export function complain(text) {
  by("trouble").hidden = !text;
  by("trouble").textContent = text ?? "";
}

/** Carries out the action. Returns its result, or null where it was not possible. */
export async function ask(name, body) {
  try {
    return await act(name, { user_id: view.userId, chat_id: view.chatId, ...body });
  } catch (error) {
    complain(error.message);
    return null;
  }
}

/** Carries out the action. Returns whether it was possible. */
export const attempt = async (name, body) => (await ask(name, body)) !== null;

/** Carries out a button's action object as LINE does. */
export async function perform(action) {
  switch (action.type) {
    case "postback":
      await attempt("postback", { data: action.data, display_text: action.displayText ?? action.text });
      break;
    case "message":
      await attempt("say", { text: action.text });
      break;
    case "uri":
      if (/^https?:\/\//.test(action.uri)) window.open(action.uri, "_blank", "noopener,noreferrer");
      break;
    case "clipboard":
      await navigator.clipboard?.writeText(action.clipboardText);
      break;
    case "location":
      await attempt("location", PLACES[0]);
      break;
    case "datetimepicker":
      await pickDate(action);
      break;
    default:
      openTray(true);
  }
}

async function pickDate({ data, mode, initial }) {
  const now = new Date(view.state.now_ms);
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString();
  const usual = { date: local.slice(0, 10), time: local.slice(11, 16), datetime: local.slice(0, 16) }[mode];
  const chosen = prompt(mode, initial ?? usual);
  if (chosen) await attempt("postback", { data, params: { [mode]: chosen } });
}
