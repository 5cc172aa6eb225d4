// The dialog for the members of the chat, and for new people, groups and rooms: one browser acts for all people.

import { make } from "./nodes.js";
import { texts } from "./texts.js";

const by = (id) => document.getElementById(id);
const dialog = by("people");

/** Attaches the dialog. `ask(name, body)` carries out an action and returns its result, or null; `enter(chatId)` shows a chat. */
export function attachPeople({ ask, enter }) {
  by("people-button").addEventListener("click", () => dialog.showModal());
  by("people-close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });

  by("new-person").addEventListener("submit", async (event) => {
    event.preventDefault();
    const name = by("person-name").value.trim();
    if (name && (await ask("add_person", { display_name: name }))) by("person-name").value = "";
  });

  by("new-chat").addEventListener("submit", async (event) => {
    event.preventDefault();
    const user_ids = [...by("new-members").querySelectorAll("input:checked")].map((box) => box.value);
    if (user_ids.length === 0) return;
    const isRoom = event.submitter?.value === "room";
    const name = by("group-name").value.trim() || texts.groupName;
    const made = await ask(isRoom ? "create_room" : "create_group", isRoom ? { user_ids } : { name, user_ids });
    if (!made) return;
    by("group-name").value = "";
    dialog.close();
    enter(made.chat_id);
  });

  /** Shows the current people and the chat. */
  return function show(state, chat) {
    const others = state.people.filter(({ user_id }) => !chat.member_ids.includes(user_id));
    const members = state.people.filter(({ user_id }) => chat.member_ids.includes(user_id));
    const isGathering = chat.kind !== "user";
    redraw(by("members"), [isGathering, chat.chat_id, chat.bot_is_member, members, others], () =>
      isGathering ? [botLine(state.bot, chat), ...members.map((one) => line(one, "remove_member", chat)), ...others.map((one) => line(one, "add_member", chat))] : [],
    );
    redraw(by("ids"), [state.bot, state.people, chat.chat_id], () => [
      ...(isGathering ? named(texts.chatId, chat.chat_id) : []),
      ...named(`🤖 ${state.bot.display_name}`, state.bot.user_id),
      ...state.people.flatMap(({ user_id, display_name }) => named(display_name, user_id)),
    ]);
    redraw(by("consents"), state.people, () => state.people.map(consentBox));
    redraw(by("new-members"), state.people, () => state.people.map(({ user_id, display_name }) => box(user_id, display_name)));
  };

  function consentBox({ user_id, display_name, has_consented }) {
    const label = box(user_id, display_name);
    const input = label.querySelector("input");
    input.checked = has_consented;
    input.addEventListener("change", () => ask("set_consent", { user_id, has_consented: input.checked }));
    return label;
  }

  function botLine({ display_name }, { chat_id, bot_is_member }) {
    const label = bot_is_member ? texts.removeBot : texts.inviteBot;
    return make("li", "", make("span", "", `🤖 ${display_name}`), button(label, () => ask(bot_is_member ? "leave" : "join", { chat_id })));
  }

  function line({ user_id, display_name }, action, { chat_id, bot_is_member }) {
    const label = action === "add_member" ? texts.addMember : texts.removeMember;
    const doing = button(label, () => ask(action, { chat_id, user_ids: [user_id] }));
    doing.disabled = !bot_is_member; // the platform sends no events of a chat without the account
    return make("li", action === "add_member" ? "outside" : "", make("span", "", display_name), doing);
  }
}

/** A name with its id, and a button that copies the id. */
function named(name, id) {
  const copy = button(texts.copy, () => navigator.clipboard?.writeText(id));
  copy.setAttribute("aria-label", `${texts.copy}: ${name}`);
  return [make("dt", "", name), make("dd", "", make("code", "", id), copy)];
}

function button(label, run) {
  const made = make("button", "quiet", label);
  made.type = "button";
  made.addEventListener("click", run);
  return made;
}

function box(value, label) {
  const input = make("input", "");
  input.type = "checkbox";
  input.value = value;
  input.checked = true;
  return make("label", "choice", input, ` ${label}`);
}

/** Draws again only after a change, so that the focus and the ticks stay. */
function redraw(parent, facts, draw) {
  const signature = JSON.stringify(facts);
  if (parent.dataset.signature === signature) return;
  parent.dataset.signature = signature;
  parent.replaceChildren(...draw());
}
