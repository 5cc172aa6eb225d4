// Which message's trace is shown: its mark in the chat, and the ways to open the trace.

import { summaryOf } from "/static/bubbles.js";
import { texts } from "/static/texts.js";
import { bubbleWith } from "/static/thread.js";
import { messageOf, nameOf } from "/static/view.js";
import { closeKnowledge } from "./knowledge.js";
import { closeTrace, hasRoom, openTrace, updateTrace } from "./trace.js";

const by = (id) => document.getElementById(id);

let traceMessageId = null; // the line_message_id of the message whose trace is shown

/** The entry of a message's menu; none for a message without events. */
export const traceChoices = (message) => (eventsAbout(message).length > 0 ? [[texts.trace, () => trace(message, true)]] : []);

/** Shows the trace of the message beside the phone, where there is room. */
export function traceOnClick(message) {
  if (eventsAbout(message).length > 0 && hasRoom()) trace(message, false);
}

/** Marks the message whose trace is shown, and updates the trace. */
export function showTraceMark() {
  for (const marked of by("entries").querySelectorAll("[aria-current]")) marked.removeAttribute("aria-current");
  if (traceMessageId === null) return;
  const message = messageOf(traceMessageId);
  if (!message) return closeTrace();
  bubbleWith(traceMessageId)?.setAttribute("aria-current", "true");
  updateTrace(aboutTrace(message), message.webhook_event_ids);
}

const eventsAbout = (message) => messageOf(message.line_message_id)?.webhook_event_ids ?? [];

function trace(message, takesFocus) {
  closeKnowledge();
  traceMessageId = message.line_message_id;
  openTrace({ about: aboutTrace(message), webhookEventIds: eventsAbout(message), takesFocus, onClose: leaveTrace });
  showTraceMark();
}

function leaveTrace(hadFocus) {
  const bubble = bubbleWith(traceMessageId);
  traceMessageId = null;
  showTraceMark();
  if (hadFocus) (bubble ?? by("text")).focus();
}

const aboutTrace = (message) => `${nameOf(message.sender_id)}: ${summaryOf(message)}`;
