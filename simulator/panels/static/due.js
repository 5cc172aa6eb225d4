// What is due in the chat: a section of the drawer with what was filed.

import { make } from "/static/nodes.js";
import { lang, texts } from "/static/texts.js";
import { dueOf } from "./requests.js";

const by = (id) => document.getElementById(id);

let chatId = null;
let isFetching = false;
let isStale = false;

/** Shows what is due in another chat. */
export function showDue(newChatId) {
  if (newChatId === chatId) return;
  chatId = newChatId;
  draw([]);
  refreshDue();
}

/** Reads it again; requests never overlap. */
export async function refreshDue() {
  isStale = true;
  if (isFetching || chatId === null) return;
  isFetching = true;
  while (isStale) {
    isStale = false;
    const wanted = chatId;
    try {
      const { reminders } = await dueOf(wanted);
      if (wanted === chatId) draw(reminders);
    } catch {
      break; // the page shows that the connection is lost; the next change tries again
    }
  }
  isFetching = false;
}

function draw(reminders) {
  by("due").hidden = reminders.length === 0;
  by("due-list").replaceChildren(...reminders.map(lineOf));
}

function lineOf({ text, kind, rule, zone, next_ms, waits }) {
  const when = new Date(next_ms).toLocaleString(lang, { timeZone: zone, month: "numeric", day: "numeric", weekday: "short", hour: "2-digit", minute: "2-digit" });
  const facts = [when, rule && inWords(rule), kind === "text" ? null : texts.digest, waits ? texts.waits : null].filter(Boolean);
  return make("li", "due-line", make("span", "due-text", text), make("span", "took", facts.join(" · ")));
}

/** The rule in words: `FREQ=WEEKLY;BYDAY=MO,TH;COUNT=4` is "every Mon, Thu, 4 times". */
function inWords(rule) {
  const parts = Object.fromEntries(rule.split(";").map((part) => part.split("=")));
  const month = parts.BYMONTH ? texts.ruleMonth(parts.BYMONTH) : "";
  const words = texts.rule[parts.FREQ]?.(Number(parts.INTERVAL ?? 1), dayOf(parts), month) ?? "";
  const hours = parts.BYHOUR && listed(parts.BYHOUR.split(",").map((hour) => texts.ruleHour(hour)));
  const ends = [hours, parts.COUNT && texts.ruleTimes(parts.COUNT), parts.UNTIL && texts.ruleUntil(parts.UNTIL.replace(/^(\d{4})(\d\d)(\d\d).*/, "$1-$2-$3"))];
  return [words, ...ends].filter(Boolean).join(lang === "ja" ? "、" : ", ");
}

/** The day of a week or month in words: `BYDAY=-1FR` is "the last Fri". */
function dayOf({ FREQ, BYDAY, BYMONTHDAY, BYSETPOS }) {
  if (BYMONTHDAY) return BYMONTHDAY === "-1" ? texts.ruleLastDay : texts.ruleDay(BYMONTHDAY);
  if (!BYDAY) return "";
  const names = listed([...new Set(BYDAY.split(",").map((day) => texts.ruleDays[day.slice(-2)]))]);
  if (FREQ === "WEEKLY") return names;
  const places = BYSETPOS ? BYSETPOS.split(",") : BYDAY.split(",").map((day) => day.slice(0, -2));
  return texts.rulePlace(listed(places.map((place) => texts.rulePlaces[place])), BYSETPOS ? texts.ruleWorkday : names);
}

const listed = (words) => words.join(lang === "ja" ? "・" : ", ");
