// The picker after an @ in a group, with the members who can be mentioned. Arrows and Enter, Tab or a click choose.

import { make } from "./nodes.js";

const list = document.getElementById("mentions");
const BEGUN = /[@＠]([^@＠\n]{0,20})$/u;

/** The ids of the members whose @name is in the text, in the order of the text; the longest matching name counts. */
export function mentionsIn(text, members) {
  const longestFirst = members.toSorted((one, other) => other.name.length - one.name.length);
  const found = [];
  for (let at = text.indexOf("@"); at >= 0; at = text.indexOf("@", at + 1)) {
    const member = longestFirst.find(({ name }) => text.startsWith(name, at + 1));
    if (member) found.push(member.id);
  }
  return found;
}

/** Attaches the picker to the field. `members()` returns `{id, name}` of the members who can be mentioned; none: no picker. */
export function attachMentions(field, members) {
  const choices = () => [...list.children];

  function offer() {
    const begun = BEGUN.exec(field.value.slice(0, field.selectionStart));
    const wanted = begun?.[1].toLowerCase();
    const fitting = begun ? members().filter(({ name }) => name.toLowerCase().startsWith(wanted) && name.toLowerCase() !== wanted) : [];
    list.replaceChildren(...fitting.map(({ name }, index) => choice(name, index, begun.index)));
    list.hidden = fitting.length === 0;
    if (list.hidden) field.removeAttribute("aria-activedescendant");
    else mark(0);
  }

  function choice(name, index, start) {
    const item = make("li", "", `@${name}`);
    item.id = `mention-${index}`;
    item.setAttribute("role", "option");
    item.addEventListener("pointerdown", (event) => {
      event.preventDefault(); // the field keeps the focus
      take(item);
    });
    item.take = () => field.setRangeText(`@${name} `, start, field.selectionStart, "end");
    return item;
  }

  function take(item) {
    item.take();
    field.dispatchEvent(new Event("input"));
  }

  function mark(index) {
    choices().forEach((item, place) => item.setAttribute("aria-selected", String(place === index)));
    field.setAttribute("aria-activedescendant", choices()[index].id);
    choices()[index].scrollIntoView({ block: "nearest" });
  }

  field.addEventListener("input", offer);
  field.addEventListener("blur", () => (list.hidden = true));
  field.addEventListener(
    "keydown",
    (event) => {
      if (list.hidden || event.isComposing) return;
      const marked = choices().findIndex((item) => item.getAttribute("aria-selected") === "true");
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step) mark((marked + step + choices().length) % choices().length);
      else if (event.key === "Enter" || event.key === "Tab") take(choices()[marked]);
      else if (event.key === "Escape") list.hidden = true;
      else return;
      event.preventDefault();
      event.stopImmediatePropagation();
    },
    { capture: true },
  );
}
