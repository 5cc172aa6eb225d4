// Messages as DOM nodes. Texts of people are set as textContent, never as markup.

import { flexNode } from "./flex.js";
import { make } from "./nodes.js";
import { symbolOf } from "./palette.js";
import { dayOf, texts, timeOf } from "./texts.js";

export const dateLine = (timestamp_ms) => make("li", "date", make("span", "", dayOf(timestamp_ms)));
export const noticeLine = (text) => make("li", "notice", make("span", "notice-text", text));

/** Creates the row of a message. `act(action)` carries out a button's action object, `nameOf(id)` is a display name. */
export function messageRow(message, { isMine, follows, senderName, isBot, quoted, nameOf, act }) {
  const bubble = bubbleOf(message, { quoted, nameOf, act });
  const meta = make("span", "meta");
  if (message.is_edited) meta.append(make("span", "", texts.edited));
  if (isMine && message.is_read && message.delivery !== "failed") meta.append(make("span", "read", texts.read));
  if (message.delivery === "sending") meta.append(make("span", "", texts.sending));
  const time = make("time", "", timeOf(message.timestamp_ms));
  time.dateTime = new Date(message.timestamp_ms).toISOString();
  meta.append(time);

  const column = make("div", "column");
  if (!isMine && !follows) column.append(make("span", "name", senderName));
  if (message.content.type === "flex") column.classList.add("wide");
  column.append(make("div", "line", bubble, meta));
  if (message.delivery === "failed") {
    bubble.classList.add("failed");
    column.append(make("span", "failure", texts.failed(texts.reasons[message.failure] ?? message.failure)));
  }
  const row = make("li", `row ${isMine ? "mine" : "theirs"}${follows ? " follows" : ""}`);
  if (!isMine) row.append(isBot ? make("span", "avatar") : make("span", "avatar avatar-person", senderName.slice(0, 1)));
  row.append(column);
  return { row, bubble };
}

/** The message in one line. */
export function summaryOf(message) {
  if (!message || message.is_unsent) return texts.gone;
  const { content } = message;
  return content.text ?? content.altText ?? texts[content.type] ?? texts.other;
}

function bubbleOf(message, { quoted, nameOf, act }) {
  const { content } = message;
  const bubble = make("div", "bubble");
  if (message.quoted_message_id) bubble.append(make("p", "quoted", summaryOf(quoted)));
  switch (content.type) {
    case "text":
      bubble.append(...linked(content.text));
      break;
    case "textV2":
      bubble.append(...linked(substituted(content, nameOf)));
      break;
    case "sticker":
      bubble.classList.add("sticker");
      bubble.append(make("span", "drawn", symbolOf(content.packageId, content.stickerId)));
      bubble.append(make("span", "detail", `${texts.sticker} ${content.packageId}/${content.stickerId}`));
      break;
    case "image":
      if (content.originalContentUrl) bubble.append(tile("🖼️", texts.image, content.originalContentUrl));
      else bubble.append(photo(message, bubble));
      break;
    case "location":
      bubble.append(tile("📍", content.title ?? texts.location, content.address ?? `${content.latitude}, ${content.longitude}`));
      break;
    case "video":
      bubble.append(tile("🎬", texts.video, content.originalContentUrl ?? lasting(content.duration)));
      break;
    case "audio":
      bubble.append(tile("🎤", texts.audio, lasting(content.duration)));
      break;
    case "file":
      bubble.append(tile("📄", content.fileName, `${content.fileSize} B`));
      break;
    case "template":
      bubble.append(...linked(content.template.text ?? content.altText), buttons(actionsIn(content.template), act));
      break;
    case "flex":
      bubble.classList.add("flex");
      bubble.append(flexNode(content.contents, act));
      break;
    default:
      bubble.append(tile("✉️", content.altText ?? content.type, ""));
  }
  return bubble;
}

function tile(picture, label, detail) {
  const drawn = make("span", "picture", picture);
  drawn.setAttribute("aria-hidden", "true");
  const words = make("span", "label", label);
  if (detail) words.append(make("span", "detail", detail));
  return make("span", "tile", drawn, words);
}

function photo(message, bubble) {
  const image = make("img", "");
  image.alt = texts.image;
  image.src = `/simulator/media/${message.line_message_id}`;
  bubble.classList.add("photo");
  image.addEventListener("error", () => {
    bubble.classList.remove("photo");
    image.replaceWith(tile("🖼️", texts.image, ""));
  });
  return image;
}

const lasting = (duration_ms) => (duration_ms ? `${(duration_ms / 1000).toFixed(1)} s` : "");

/** The text with its URLs as links. */
function linked(text) {
  return text.split(/(https?:\/\/[^\s<>"'、。）」]+)/u).map((part, index) => {
    if (index % 2 === 0) return part;
    const link = make("a", "", part);
    link.href = part;
    link.target = "_blank";
    link.rel = "noopener noreferrer";
    return link;
  });
}

function substituted({ text, substitution = {} }, nameOf) {
  return text.replace(/\{\{|\}\}|\{([0-9a-zA-Z_]{1,20})\}/g, (found, key) => {
    if (!key) return found[0];
    const value = substitution[key];
    if (value?.type !== "mention") return "🙂";
    return `@${value.mentionee?.type === "all" ? "All" : nameOf(value.mentionee?.userId)}`;
  });
}

/** All action objects inside, in reading order. */
function actionsIn(contents) {
  if (!contents || typeof contents !== "object") return [];
  const own = contents.action?.type ? [contents.action] : [];
  const listed = Array.isArray(contents.actions) ? contents.actions : [];
  const inner = Object.entries(contents).filter(([name]) => name !== "action" && name !== "actions");
  return [...own, ...listed, ...inner.flatMap(([, value]) => actionsIn(value))];
}

function buttons(actions, act) {
  if (actions.length === 0) return null;
  return make("div", "buttons", ...actions.map((action) => actionButton(action, act)));
}

export function actionButton(action, act) {
  const button = make("button", "", action.label ?? action.text ?? action.type);
  button.type = "button";
  button.addEventListener("click", () => act(action));
  return button;
}
