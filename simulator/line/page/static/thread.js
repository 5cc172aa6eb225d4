// The entries of the chat: messages with their menus, notices and dates, each drawn again only after a change.

import { attempt, perform } from "./actions.js";
import { dateLine, messageRow, noticeLine, summaryOf } from "./bubbles.js";
import { setPending } from "./composer.js";
import { attachMenu } from "./menu.js";
import { tell } from "./panels.js";
import { dayOf, texts } from "./texts.js";
import { chat, messageOf, nameOf, view } from "./view.js";

const NEAR_THE_END_PX = 80;
const SAME_GROUP_MS = 60_000;
// The action and its body that send the same content once more.
const AGAIN = {
  text: ({ text }) => ["say", { text }],
  sticker: ({ packageId, stickerId, keywords }) => ["sticker", { package_id: packageId, sticker_id: stickerId, ...(keywords ? { keywords } : {}) }],
  location: ({ title, address, latitude, longitude }) => ["location", { title, address, latitude, longitude }],
};
const by = (id) => document.getElementById(id);

let isAtEnd = true;
const drawn = new Map(); // by key: {node, signature}

/** Removes all entries, before another chat is shown. */
export function clearThread() {
  drawn.clear();
  by("entries").replaceChildren();
  isAtEnd = true;
}

/** Shows the entries of the chat. */
export function showThread() {
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

/** Scrolls to the newest message, unless the person scrolled back. */
export function stayAtEnd() {
  if (isAtEnd) by("scroller").scrollTop = by("scroller").scrollHeight;
}

/** The lines of the chat: `{key, signature, draw}`; a line is drawn again only when its signature changes. */
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
    const follows = previous?.sender_id === entry.sender_id && entry.timestamp_ms - previous.timestamp_ms < SAME_GROUP_MS;
    const quoted = entry.quoted_message_id ? messageOf(entry.quoted_message_id) : null;
    const signature = JSON.stringify([entry, follows, view.userId, quoted?.is_unsent ?? null]);
    lines.push({ key: entry.line_message_id, signature, draw: () => rowOf(entry, follows, quoted) });
    previous = entry;
  });
  return lines;
}

function noticeOf(entry) {
  if (entry.kind === "notice" && entry.display_name === nameOf(view.userId) && entry.name in texts.ownNotices) return texts.ownNotices[entry.name];
  if (entry.kind === "notice") return texts.notices[entry.name]?.(entry.display_name) ?? entry.name;
  if (!entry.is_unsent) return null;
  return entry.sender_id === view.userId ? texts.unsentMine : texts.unsentTheirs(nameOf(entry.sender_id));
}

function noticeOfMessage(entry, text) {
  const line = noticeLine(text);
  if (entry.webhook_event_ids?.length > 0) attachChoices(line, line.firstElementChild, entry, () => tell("choices", entry));
  return line;
}

function rowOf(message, follows, quoted) {
  const isMine = message.sender_id === view.userId;
  const { row, bubble } = messageRow(message, {
    isMine,
    follows,
    quoted,
    nameOf,
    senderName: nameOf(message.sender_id),
    isBot: message.sender_id === view.state.bot.user_id,
    act: perform,
  });
  attachChoices(row, bubble, message, () => choicesFor(message, isMine));
  return row;
}

/** Attaches the menu to the bubble; a click or Space chooses it, for the panels. */
function attachChoices(row, bubble, message, choices) {
  row.dataset.lineMessageId = message.line_message_id;
  attachMenu(bubble, choices);
  const choose = () => tell("choose", message);
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
  const { trackingId } = message.content;
  if (!isMine && trackingId) choices.push([texts.watched, () => attempt("finish_video", { tracking_id: trackingId })]);
  choices.push(...tell("choices", message));
  if (isMine && message.caused_event) {
    if (message.content.type in AGAIN) choices.push([texts.sendAgain, () => attempt(...AGAIN[message.content.type](message.content))]);
    choices.push([texts.redeliver, () => attempt("redeliver", { webhook_event_id: message.webhook_event_ids[0] })]);
  }
  choices.push([texts.copyId, () => navigator.clipboard?.writeText(message.line_message_id)]);
  if (isMine && message.caused_event) choices.push([texts.unsend, () => attempt("unsend", { line_message_id: message.line_message_id })]);
  return choices;
}

/** The bubble or notice of a message in the chat. */
export const bubbleWith = (id) => by("entries").querySelector(`[data-line-message-id="${id}"] :is(.bubble, .notice-text)`);
const sizes = new ResizeObserver(stayAtEnd);
sizes.observe(by("scroller"));
sizes.observe(by("entries"));
by("scroller").addEventListener("scroll", () => {
  const { scrollHeight, scrollTop, clientHeight } = by("scroller");
  isAtEnd = scrollHeight - scrollTop - clientHeight < NEAR_THE_END_PX;
});
