// The tray with stickers, places and the choice of a file.

const by = (id) => document.getElementById(id);

export function openTray(isOpen) {
  by("tray").hidden = !isOpen;
  by("attach").setAttribute("aria-expanded", String(isOpen));
  if (isOpen) by("tray").querySelector("button")?.focus();
}
