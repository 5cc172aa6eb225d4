// The chat as a phone shows it: draws the state, and turns what the person does into actions.

import { actionButton, dateLine, make, messageRow, noticeLine, summaryOf } from "./bubbles.js";
import { attachFiled, closeFiled, refreshFiled, showFiled } from "./filed.js";
import { attachGathering } from "./gathering.js";
import { attachMentions, mentionedIn } from "./mentions.js";
import { showLists } from "./lists.js";
import { attachMenu } from "./menu.js";
import { PLACES, STICKERS } from "./palette.js";
import { act, sendImage, stateNow, watch } from "./platform.js";
import { dayOf, fillIn, secondOf, texts } from "./texts.js";
import { closeTrace, hasRoom, openTrace, refreshTrace, updateTrace } from "./trace.js";

const NEAR_THE_END_PX = 80;
const SAME_BREATH_MS = 60_000;
const by = (id) => document.getElementById(id);

let state = null;
let chatId = null;
let userId = null;
let pending = null; // what the next text does: {kind: "quote" or "edit", message}
let tracedId = null; // the line_message_id of the message whose trace is shown
let loadingTimer = 0;
let isAtEnd = true;
const drawn = new Map();

fillIn(document);
const showGathering = attachGathering({ ask, enter });
attachFiled({ onOpen: closeTrace });
watch(show, refreshTrace, refreshFiled, () => complain(texts.disconnected));

// Drawing

function show(newState) {
  if (!state) open();
  state = newState;
  complain(null);
  chooseChat();
  showAbout();
  showTop();
  showEntries();
  showLoading();
  showQuickReplies();
  showFacts();
  showLists(state.lists);
  showFiled(chatId);
  showTraced();
  showGathering(state, chat());
}

// Nothing can be done before the first state is there: until then the controls are disabled.
function open() {
  for (const id of ["text", "attach", "friend-button", "filed-button", "people-button"]) by(id).disabled = false;
}

const chat = () => state.chats.find((one) => one.chat_id === chatId);
const personNamed = (id) => state.people.find((one) => one.user_id === id);
const nameOf = (id) => (id === state.bot.user_id ? state.bot.display_name : (personNamed(id)?.display_name ?? "?"));
const messageWith = (id) => chat().entries.find((entry) => entry.line_message_id === id);

function chooseChat() {
  if (!state.chats.some((one) => one.chat_id === chatId)) chatId = state.chats[0]?.chat_id;
  if (!chat().member_ids.includes(userId)) userId = chat().member_ids[0];
  fill(by("chat-choice"), state.chats, (one) => [one.chat_id, chatLabel(one)], chatId);
  fill(by("person-choice"), chat().member_ids, (id) => [id, nameOf(id)], userId);
}

function chatLabel(one) {
  if (one.kind !== "user") return one.name || one.member_ids.map(nameOf).join("、");
  return state.people.length > 1 ? `${one.name} – ${nameOf(one.chat_id)}` : one.name;
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
  const { model, notice } = state.about;
  const isStandIn = !model || model === "stand-in";
  by("about-stand-in").textContent = texts.standIn;
  by("about-model").classList.toggle("warns", isStandIn);
  by("about-model").textContent = [isStandIn ? texts.standInModel : texts.model(model), notice].filter(Boolean).join(" ");
}

function showTop() {
  const members = chat().kind === "user" ? "" : ` (${chat().member_ids.length + (chat().bot_is_member ? 1 : 0)})`;
  by("chat-name").textContent = (chat().kind === "user" ? state.bot.display_name : chatLabel(chat())) + members;
  document.title = by("chat-name").textContent;
  const friendship = personNamed(userId)?.friendship;
  const button = by("friend-button");
  button.hidden = chat().kind !== "user";
  button.classList.toggle("calls", friendship !== "friend");
  button.textContent = { friend: texts.block, blocked: texts.unblock }[friendship] ?? texts.addFriend;
  const isBlocked = chat().kind === "user" && friendship === "blocked";
  const isAlone = chat().kind !== "user" && !chat().bot_is_member;
  by("text").disabled = by("attach").disabled = isBlocked || isAlone;
  by("text").placeholder = isBlocked ? texts.blocked : isAlone ? texts.withoutBot : texts.write;
  by("empty").hidden = chat().entries.length > 0;
  by("empty").textContent = texts.empty(state.bot.display_name);
}

function showEntries() {
  const wanted = linesOf(chat());
  const keys = new Set(wanted.map((line) => line.key));
  for (const [key, { node }] of drawn) {
    if (keys.has(key)) continue;
    node.remove();
    drawn.delete(key);
  }
  let position = by("entries").firstElementChild;
  for (const line of wanted) {
    const old = drawn.get(line.key);
    let node = old?.node;
    if (old?.signature !== line.signature) {
      node = line.draw();
      if (old) {
        if (position === old.node) position = node;
        const hadFocus = old.node.contains(document.activeElement);
        old.node.replaceWith(node);
        if (hadFocus) node.querySelector("[tabindex]")?.focus();
      }
      drawn.set(line.key, { node, signature: line.signature });
    }
    if (node === position) position = position.nextElementSibling;
    else by("entries").insertBefore(node, position);
  }
  stayAtEnd();
}

/** Who reads the newest message keeps seeing it, whatever grows or shrinks; who scrolled back stays there. */
function stayAtEnd() {
  if (isAtEnd) by("scroller").scrollTop = by("scroller").scrollHeight;
}

/** What stands in the chat, line by line: `{key, signature, draw}`; a line is drawn anew only when its signature changes. */
function linesOf({ chat_id, entries }) {
  const lines = [];
  let day = null;
  let previous = null;
  entries.forEach((entry, index) => {
    if (dayOf(entry.timestamp_ms) !== day) {
      day = dayOf(entry.timestamp_ms);
      lines.push({ key: `${chat_id} ${day}`, signature: day, draw: () => dateLine(entry.timestamp_ms) });
      previous = null;
    }
    const text = noticeOf(entry);
    if (text !== null) {
      const key = entry.line_message_id ?? `${chat_id} ${entry.timestamp_ms} ${entry.name} ${index}`;
      lines.push({ key, signature: text, draw: () => noticeOfMessage(entry, text) });
      previous = null;
      return;
    }
    const follows = previous?.sender_id === entry.sender_id && entry.timestamp_ms - previous.timestamp_ms < SAME_BREATH_MS;
    const quoted = entry.quoted_message_id ? messageWith(entry.quoted_message_id) : null;
    const signature = JSON.stringify([entry, follows, userId, quoted?.is_unsent ?? null]);
    lines.push({ key: entry.line_message_id, signature, draw: () => rowOf(entry, follows, quoted) });
    previous = entry;
  });
  return lines;
}

function noticeOf(entry) {
  if (entry.kind === "notice" && entry.display_name === nameOf(userId) && entry.name in texts.ownNotices) return texts.ownNotices[entry.name];
  if (entry.kind === "notice") return texts.notices[entry.name]?.(entry.display_name) ?? entry.name;
  if (!entry.is_unsent) return null;
  return entry.sender_id === userId ? texts.unsentMine : texts.unsentTheirs(nameOf(entry.sender_id));
}

function noticeOfMessage(entry, text) {
  const line = noticeLine(text);
  if (entry.webhook_event_ids?.length > 0) traceable(line, line.firstElementChild, entry, () => traceChoices(entry));
  return line;
}

function rowOf(message, follows, quoted) {
  const isMine = message.sender_id === userId;
  const { row, bubble } = messageRow(message, {
    isMine,
    follows,
    quoted,
    nameOf,
    senderName: nameOf(message.sender_id),
    isBot: message.sender_id === state.bot.user_id,
    act: perform,
  });
  traceable(row, bubble, message, () => choicesFor(message, isMine));
  return row;
}

/** The bubble has its menu, and where there is room, choosing it by click or Space shows its trace. */
function traceable(row, bubble, message, choices) {
  row.dataset.lineMessageId = message.line_message_id;
  attachMenu(bubble, choices);
  const choose = () => eventsAbout(message).length > 0 && hasRoom() && trace(message, false);
  bubble.addEventListener("click", (event) => {
    if (!event.target.closest("a, button") && getSelection().isCollapsed) choose();
  });
  bubble.addEventListener("keydown", (event) => {
    if (event.key !== " " || event.target !== bubble) return;
    event.preventDefault();
    choose();
  });
}

function choicesFor(message, isMine) {
  const isText = message.content.type === "text";
  const choices = [[texts.quote, () => setPending("quote", message)]];
  if (isText) choices.push([texts.copy, () => navigator.clipboard?.writeText(message.content.text)]);
  if (isMine && isText && chat().kind !== "user" && message.caused_event) choices.push([texts.edit, () => setPending("edit", message)]);
  choices.push(...traceChoices(message));
  if (isMine && message.caused_event) choices.push([texts.unsend, () => attempt("unsend", { line_message_id: message.line_message_id })]);
  return choices;
}

const traceChoices = (message) => (eventsAbout(message).length > 0 ? [[texts.trace, () => trace(message, true)]] : []);
const eventsAbout = (message) => messageWith(message.line_message_id)?.webhook_event_ids ?? [];

function trace(message, takesFocus) {
  closeFiled();
  tracedId = message.line_message_id;
  openTrace({ about: aboutTraced(message), webhookEventIds: eventsAbout(message), takesFocus, onClose: leaveTrace });
  showTraced();
}

function leaveTrace(hadFocus) {
  const bubble = bubbleWith(tracedId);
  tracedId = null;
  showTraced();
  if (hadFocus) (bubble ?? by("text")).focus();
}

const bubbleWith = (id) => by("entries").querySelector(`[data-line-message-id="${id}"] :is(.bubble, .notice-text)`);
const aboutTraced = (message) => `${nameOf(message.sender_id)}: ${summaryOf(message)}`;

/** The message whose trace is shown is marked, and its trace follows what becomes of it. */
function showTraced() {
  for (const marked of by("entries").querySelectorAll("[aria-current]")) marked.removeAttribute("aria-current");
  if (tracedId === null) return;
  const message = messageWith(tracedId);
  if (!message) return closeTrace();
  bubbleWith(tracedId)?.setAttribute("aria-current", "true");
  updateTrace(aboutTraced(message), message.webhook_event_ids);
}

function showLoading() {
  clearTimeout(loadingTimer);
  const left_ms = chat().loading_until_ms - state.now_ms;
  by("loading").hidden = left_ms <= 0;
  if (left_ms <= 0) return;
  stayAtEnd();
  loadingTimer = setTimeout(() => (by("loading").hidden = true), left_ms);
}

function showQuickReplies() {
  const last = chat().entries.at(-1);
  const items = last?.sender_id === state.bot.user_id ? (last.content.quickReply?.items ?? []) : [];
  by("quick-replies").hidden = items.length === 0;
  const signature = JSON.stringify(items);
  if (by("quick-replies").dataset.signature === signature) return;
  by("quick-replies").dataset.signature = signature;
  by("quick-replies").replaceChildren(...items.map((item) => actionButton(item.action, perform)));
}

function showFacts() {
  const lines = state.facts.toReversed().map((fact) => {
    const line = make("li", fact.is_fine ? "" : "bad");
    const arrow = make("span", "", fact.way === "to_webhook" ? "→" : "←");
    const what = make("span", "what", fact.what + (fact.is_redelivery ? ` (${texts.redelivery})` : ""));
    const took = fact.duration_ms === undefined ? "" : ` · ${fact.duration_ms} ms`;
    const status = make("span", "", make("span", "status", fact.status), make("span", "took", took));
    line.append(make("span", "when", secondOf(fact.at_ms)), arrow, what, status);
    return line;
  });
  by("facts").replaceChildren(...lines);
}

function complain(text) {
  by("trouble").hidden = !text;
  by("trouble").textContent = text ?? "";
}

// Doing

/** The action is carried out as the chosen person in the chosen chat. Returns what it caused, or null where it was not possible. */
async function ask(name, body) {
  try {
    return await act(name, { user_id: userId, chat_id: chatId, ...body });
  } catch (error) {
    complain(error.message);
    return null;
  }
}

const attempt = async (name, body) => (await ask(name, body)) !== null;

/** A chat that was just made: the account is invited, and the chat is shown. */
async function enter(id) {
  if (!state.chats.find((one) => one.chat_id === id)?.bot_is_member) await ask("join", { chat_id: id });
  state = await stateNow();
  choose(id);
}

function choose(id) {
  chatId = id;
  drawn.clear();
  by("entries").replaceChildren();
  isAtEnd = true;
  show(state);
}

/** Everybody who can be mentioned: in groups and rooms the account, the others and all. */
function mentionable() {
  if (chat().kind === "user") return [];
  const { bot } = state;
  const members = chat().member_ids.filter((id) => id !== userId).map((id) => ({ id, name: nameOf(id) }));
  return [{ id: bot.user_id, name: bot.display_name }, ...members, { id: "all", name: "All" }];
}

/** A button's action object, as LINE carries it out. */
async function perform(action) {
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
  const now = new Date(state.now_ms);
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString();
  const usual = { date: local.slice(0, 10), time: local.slice(11, 16), datetime: local.slice(0, 16) }[mode];
  const chosen = prompt(mode, initial ?? usual);
  if (chosen) await attempt("postback", { data, params: { [mode]: chosen } });
}

function setPending(kind, message) {
  pending = kind ? { kind, message } : null;
  by("pending").hidden = !pending;
  by("pending-text").textContent = pending ? `${texts[kind]}: ${summaryOf(message)}` : "";
  if (kind === "edit") by("text").value = message.content.text;
  resize();
  by("text").focus();
}

async function say() {
  const text = by("text").value;
  if (!text.trim()) return;
  const body = { text };
  const mentioning = mentionedIn(text, mentionable());
  if (mentioning.length > 0) body.mentioning = mentioning;
  if (pending?.kind === "quote") body.quoting = pending.message.line_message_id;
  if (pending?.kind === "edit") body.line_message_id = pending.message.line_message_id;
  const name = pending?.kind === "edit" ? "edit" : "say";
  by("text").value = "";
  setPending(null);
  if (!(await attempt(name, body)) && by("text").value === "") {
    by("text").value = text;
    resize();
  }
}

function openTray(isOpen) {
  by("tray").hidden = !isOpen;
  by("attach").setAttribute("aria-expanded", String(isOpen));
  if (isOpen) by("tray").querySelector("button")?.focus();
}

function resize() {
  const text = by("text");
  text.style.height = "auto";
  text.style.height = `${text.scrollHeight + 2}px`;
  by("send").disabled = !text.value.trim();
}

function offer(parent, items, className, labelOf, nameOfItem, run) {
  for (const item of items) {
    const button = make("button", className, labelOf(item));
    button.type = "button";
    button.setAttribute("aria-label", nameOfItem(item));
    button.addEventListener("click", async () => {
      openTray(false);
      await run(item);
    });
    parent.append(button);
  }
}

offer(by("stickers"), STICKERS, "choice drawn", (one) => one.drawn, (one) => `${texts.sticker} ${one.keywords[0]}`, ({ drawn: _, ...sticker }) => attempt("sticker", sticker));
offer(by("places"), PLACES, "choice", (one) => `📍 ${one.title}`, (one) => one.title, (place) => attempt("location", place));

const resized = new ResizeObserver(stayAtEnd);
resized.observe(by("scroller"));
resized.observe(by("entries"));
by("scroller").addEventListener("scroll", () => {
  const { scrollHeight, scrollTop, clientHeight } = by("scroller");
  isAtEnd = scrollHeight - scrollTop - clientHeight < NEAR_THE_END_PX;
});

by("composer").addEventListener("submit", (event) => {
  event.preventDefault();
  say();
});
attachMentions(by("text"), mentionable);
by("text").addEventListener("input", resize);
by("text").addEventListener("keydown", (event) => {
  // While an input method composes, Enter takes its candidate; Safari tells so only by key code 229.
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
  event.preventDefault();
  say();
});
by("attach").addEventListener("click", () => openTray(by("tray").hidden));
by("tray").addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  openTray(false);
  by("attach").focus();
});
by("image").addEventListener("change", async (event) => {
  const [file] = event.target.files;
  event.target.value = "";
  openTray(false);
  if (!file) return;
  try {
    await sendImage(userId, chatId, file);
  } catch (error) {
    complain(error.message);
  }
});
by("pending-cancel").addEventListener("click", () => {
  if (pending?.kind === "edit") by("text").value = "";
  setPending(null);
});
by("friend-button").addEventListener("click", () => attempt(personNamed(userId)?.friendship === "friend" ? "unfollow" : "follow", {}));
by("chat-choice").addEventListener("change", (event) => choose(event.target.value));
by("person-choice").addEventListener("change", (event) => {
  userId = event.target.value;
  show(state);
});
