// The page of a chat as a phone shows it: draws every new state.

import { ask, attempt, complain, perform } from "./actions.js";
import { actionButton } from "./bubbles.js";
import "./composer.js";
import { panels, tell } from "./panels.js";
import { attachLab } from "./lab.js";
import { attachPeople } from "./people.js";
import { stateNow, watch } from "./platform.js";
import { showRichMenu } from "./rich_menu.js";
import { showSetup } from "./setup.js";
import { fillIn, texts } from "./texts.js";
import { clearThread, showThread, stayAtEnd } from "./thread.js";
import { chat, nameOf, personOf, view } from "./view.js";
import { showWire } from "./wire.js";

const by = (id) => document.getElementById(id);

let loadingTimer = 0;

fillIn(document);
const showPeople = attachPeople({ ask, enter });
const showLab = attachLab({ ask });
watch(show, Object.assign({}, ...panels.map((panel) => panel.changes)), () => complain(texts.disconnected));

function show(newState) {
  if (!view.state) enableControls();
  view.state = newState;
  complain(null);
  chooseChat();
  showAbout();
  showTop();
  showThread();
  showLoading();
  showQuickReplies();
  showWire();
  showRichMenu();
  showSetup();
  showPeople(view.state, chat());
  showLab(view.state);
  tell("show");
  stayAtEnd();
}

// The controls are disabled until the first state arrives.
function enableControls() {
  for (const id of ["text", "attach", "friend-button", "lab-button", "people-button"]) by(id).disabled = false;
}

function chooseChat() {
  if (!view.state.chats.some((one) => one.chat_id === view.chatId)) view.chatId = view.state.chats[0]?.chat_id;
  if (!chat().member_ids.includes(view.userId)) view.userId = chat().member_ids[0];
  fill(by("chat-choice"), view.state.chats, (one) => [one.chat_id, chatLabel(one)], view.chatId);
  fill(by("person-choice"), chat().member_ids, (id) => [id, nameOf(id)], view.userId);
}

function chatLabel(one) {
  if (one.kind !== "user") return one.name || one.member_ids.map(nameOf).join("、");
  return view.state.people.length > 1 ? `${one.name} – ${nameOf(one.chat_id)}` : one.name;
}

function fill(select, items, optionOf, chosen) {
  select.hidden = items.length < 2;
  const options = items.map(optionOf);
  const signature = JSON.stringify(options);
  if (select.dataset.signature !== signature) {
    select.dataset.signature = signature;
    select.replaceChildren(...options.map(([value, label]) => new Option(label, value)));
  }
  select.value = chosen;
}

function showAbout() {
  const { model, notice } = view.state.about;
  const modelLine = { "stand-in": texts.standInModel }[model] ?? (model ? texts.model(model) : "");
  by("about-stand-in").textContent = texts.standIn;
  by("about-model").classList.toggle("warns", model === "stand-in");
  by("about-model").textContent = [modelLine, notice].filter(Boolean).join(" ");
}

function showTop() {
  const members = chat().kind === "user" ? "" : ` (${chat().member_ids.length + (chat().bot_is_member ? 1 : 0)})`;
  by("chat-name").textContent = (chat().kind === "user" ? view.state.bot.display_name : chatLabel(chat())) + members;
  document.title = by("chat-name").textContent;
  const friendship = personOf(view.userId)?.friendship;
  const button = by("friend-button");
  button.hidden = chat().kind !== "user";
  button.classList.toggle("calls", friendship !== "friend");
  button.textContent = { friend: texts.block, blocked: texts.unblock }[friendship] ?? texts.addFriend;
  const isBlocked = chat().kind === "user" && friendship === "blocked";
  const isAlone = chat().kind !== "user" && !chat().bot_is_member;
  by("text").disabled = by("attach").disabled = isBlocked || isAlone;
  by("text").placeholder = isBlocked ? texts.blocked : isAlone ? texts.withoutBot : texts.write;
  by("empty").hidden = chat().entries.length > 0;
  by("empty").textContent = texts.empty(view.state.bot.display_name);
}

function showLoading() {
  clearTimeout(loadingTimer);
  const left_ms = chat().loading_until_ms - view.state.now_ms;
  by("loading").hidden = left_ms <= 0;
  if (left_ms <= 0) return;
  stayAtEnd();
  loadingTimer = setTimeout(() => (by("loading").hidden = true), left_ms);
}

function showQuickReplies() {
  const last = chat().entries.at(-1);
  const items = last?.sender_id === view.state.bot.user_id ? (last.content.quickReply?.items ?? []) : [];
  by("quick-replies").hidden = items.length === 0;
  const signature = JSON.stringify(items);
  if (by("quick-replies").dataset.signature === signature) return;
  by("quick-replies").dataset.signature = signature;
  by("quick-replies").replaceChildren(...items.map((item) => actionButton(item.action, perform)));
}

/** Invites the account to a chat that was just created, and shows the chat. */
async function enter(id) {
  if (!view.state.chats.find((one) => one.chat_id === id)?.bot_is_member) await ask("join", { chat_id: id });
  view.state = await stateNow();
  choose(id);
}

function choose(id) {
  view.chatId = id;
  clearThread();
  show(view.state);
}

by("friend-button").addEventListener("click", () => attempt(personOf(view.userId)?.friendship === "friend" ? "unfollow" : "follow", {}));
by("chat-choice").addEventListener("change", (event) => choose(event.target.value));
by("person-choice").addEventListener("change", (event) => {
  view.userId = event.target.value;
  show(view.state);
});
