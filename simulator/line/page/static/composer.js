// The composer: the text field with its mentions, the message that is quoted or edited, and the tray.

import { attempt, complain } from "./actions.js";
import { summaryOf } from "./bubbles.js";
import { make } from "./nodes.js";
import { attachMentions, mentionsIn } from "./mentions.js";
import { PLACES, STICKERS } from "./palette.js";
import { sendFile } from "./platform.js";
import { texts } from "./texts.js";
import { openTray } from "./tray.js";
import { chat, nameOf, view } from "./view.js";

const by = (id) => document.getElementById(id);

let pending = null; // what the next text does: {kind: "quote" or "edit", message}

/** The members who can be mentioned: in groups and rooms the account, the other members and all. */
function mentionable() {
  if (chat().kind === "user") return [];
  const { bot } = view.state;
  const members = chat().member_ids.filter((id) => id !== view.userId).map((id) => ({ id, name: nameOf(id) }));
  return [{ id: bot.user_id, name: bot.display_name }, ...members, { id: "all", name: "All" }];
}

/** The next text quotes or edits the message; without a kind, neither. */
export function setPending(kind, message) {
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
  const mentioning = mentionsIn(text, mentionable());
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

by("composer").addEventListener("submit", (event) => {
  event.preventDefault();
  say();
});
attachMentions(by("text"), mentionable);
by("text").addEventListener("input", resize);
by("text").addEventListener("keydown", (event) => {
  // While an input method composes, Enter accepts its candidate; in Safari only key code 229 shows that.
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
by("file").addEventListener("change", async (event) => {
  const [file] = event.target.files;
  event.target.value = "";
  openTray(false);
  if (!file) return;
  try {
    await sendFile(view.userId, view.chatId, file);
  } catch (error) {
    complain(error.message);
  }
});
by("pending-cancel").addEventListener("click", () => {
  if (pending?.kind === "edit") by("text").value = "";
  setPending(null);
});
