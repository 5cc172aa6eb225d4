// The menu of a message: right click, long press, the menu key or Enter opens it, Escape or a click elsewhere closes it.

import { make } from "./nodes.js";

const LONG_PRESS_MS = 500;
const menu = document.getElementById("menu");
let opener = null;

/** Attaches the menu. `choices()` returns pairs of a label and a function when the menu opens; none: no menu. */
export function attachMenu(bubble, choices) {
  bubble.tabIndex = 0;
  bubble.setAttribute("role", "group");
  bubble.setAttribute("aria-haspopup", "menu");
  bubble.addEventListener("contextmenu", (event) => {
    event.preventDefault();
    open(bubble, choices(), event.clientX, event.clientY);
  });
  bubble.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.target !== bubble) return;
    event.preventDefault();
    open(bubble, choices());
  });
  let timer = 0;
  bubble.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "mouse") return;
    timer = setTimeout(() => open(bubble, choices(), event.clientX, event.clientY), LONG_PRESS_MS);
  });
  for (const end of ["pointerup", "pointercancel", "pointermove"]) bubble.addEventListener(end, () => clearTimeout(timer));
}

function open(bubble, choices, x, y) {
  if (choices.length === 0) return;
  const box = bubble.getBoundingClientRect();
  menu.replaceChildren(...choices.map(([label, run]) => item(label, run)));
  menu.hidden = false;
  const left = Math.min(x || box.left, innerWidth - menu.offsetWidth - 8);
  const top = Math.min(y || box.bottom, innerHeight - menu.offsetHeight - 8);
  menu.style.left = `${Math.max(8, left)}px`;
  menu.style.top = `${Math.max(8, top)}px`;
  opener = bubble;
  menu.firstElementChild.focus();
}

function item(label, run) {
  const button = make("button", "", label);
  button.type = "button";
  button.setAttribute("role", "menuitem");
  button.addEventListener("click", () => {
    close();
    run();
  });
  return button;
}

function close() {
  if (menu.hidden) return;
  menu.hidden = true;
  if (opener?.isConnected) opener.focus();
}

menu.addEventListener("keydown", (event) => {
  const items = [...menu.children];
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) {
    event.preventDefault();
    items[(items.indexOf(document.activeElement) + step + items.length) % items.length].focus();
  } else if (event.key === "Escape" || event.key === "Tab") {
    event.preventDefault();
    close();
  }
});
document.addEventListener("pointerdown", (event) => {
  if (!menu.hidden && !menu.contains(event.target)) close();
});
