// The switch of the stack's clock. It belongs to the simulator: neither LINE nor the bot has one.

import { act } from "/static/platform.js";
import { complain } from "/static/actions.js";
import { lang, texts } from "/static/texts.js";

const by = (id) => document.getElementById(id);
const moves = () => [...by("clock-moves").querySelectorAll("button")];
let isMoving = false;

export function attachClock() {
  for (const button of moves()) button.addEventListener("click", () => move(Number(button.dataset.seconds)));
}

/** Draws `{now_ms, offset_ms}`; null hides the switch. */
export function showClock(clock) {
  by("clock").hidden = clock === null;
  if (clock === null || isMoving) return;
  const now = new Date(clock.now_ms).toLocaleString(lang, { month: "numeric", day: "numeric", weekday: "short", hour: "2-digit", minute: "2-digit" });
  by("clock-now").textContent = clock.offset_ms > 0 ? texts.clockMoved(now) : texts.clockReal(now);
}

async function move(seconds) {
  isMoving = true;
  for (const button of moves()) button.disabled = true;
  by("clock-now").textContent = texts.clockMoving;
  try {
    const { now_ms } = await act("clock", { seconds });
    isMoving = false;
    showClock({ now_ms, offset_ms: 1 });
  } catch (error) {
    complain(error.message);
  }
  isMoving = false;
  for (const button of moves()) button.disabled = false;
}
