// The texts of the page in Japanese or English; ?lang=en or ?lang=ja overrides the browser's choice.

import { ENGLISH } from "./texts.en.js";
import { JAPANESE } from "./texts.ja.js";

const wanted = new URLSearchParams(location.search).get("lang") ?? navigator.language;
export const lang = wanted.startsWith("ja") ? "ja" : "en";
export const texts = lang === "ja" ? JAPANESE : ENGLISH;

/** Fills the texts into the document: `data-text` as content, `data-label` as accessible name. */
export function fillIn(root) {
  document.documentElement.lang = lang;
  for (const node of root.querySelectorAll("[data-text]")) node.textContent = texts[node.dataset.text];
  for (const node of root.querySelectorAll("[data-label]")) node.setAttribute("aria-label", texts[node.dataset.label]);
}

const times = new Intl.DateTimeFormat(lang, { hour: "2-digit", minute: "2-digit", hour12: false });
const seconds = new Intl.DateTimeFormat(lang, { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
const days = new Intl.DateTimeFormat(lang, { month: lang === "ja" ? "long" : "short", day: "numeric", weekday: "short" });

export const timeOf = (timestamp_ms) => times.format(timestamp_ms);
export const secondOf = (timestamp_ms) => seconds.format(timestamp_ms);
export const dayOf = (timestamp_ms) => days.format(timestamp_ms);
