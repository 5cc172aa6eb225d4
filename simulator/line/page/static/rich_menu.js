// The rich menu below the composer: its image with the tappable areas, and the bar that shows and hides it.

import { ask, perform } from "./actions.js";
import { make } from "./nodes.js";
import { texts } from "./texts.js";
import { chat, view } from "./view.js";

const by = (id) => document.getElementById(id);
const OWN = new Set(["message", "postback", "richmenuswitch"]); // the platform carries these out
let drawn = "";

/** Shows the menu of the chat, or none. */
export function showRichMenu() {
  const menu = chat().rich_menu;
  const signature = JSON.stringify([view.chatId, menu]);
  if (drawn === signature) return;
  drawn = signature;
  by("rich-menu").hidden = !menu;
  if (!menu) return;
  by("rich-menu-bar").textContent = menu.chat_bar_text;
  open(menu.selected);
  const image = make("img", "rich-menu-image");
  image.alt = menu.name;
  image.src = `/simulator/rich_menu/${encodeURIComponent(menu.rich_menu_id)}`;
  image.style.aspectRatio = `${menu.size.width} / ${menu.size.height}`;
  by("rich-menu-areas").replaceChildren(image, ...menu.areas.map((area, number) => areaNode(area, number, menu.size)));
}

function areaNode({ bounds, action }, number, { width, height }) {
  const node = make("button", "rich-menu-area");
  node.type = "button";
  node.setAttribute("aria-label", action.label ?? action.text ?? action.displayText ?? `${texts.area} ${number + 1}`);
  const share = (part, whole) => `${(100 * part) / whole}%`;
  Object.assign(node.style, {
    left: share(bounds.x, width),
    top: share(bounds.y, height),
    width: share(bounds.width, width),
    height: share(bounds.height, height),
  });
  node.addEventListener("click", async () => {
    const tapped = await ask("tap_rich_menu", { area: number });
    if (tapped && !OWN.has(tapped.action.type)) perform(tapped.action);
  });
  return node;
}

function open(isOpen) {
  by("rich-menu-areas").hidden = !isOpen;
  by("rich-menu-bar").setAttribute("aria-expanded", String(isOpen));
}

by("rich-menu-bar").addEventListener("click", () => open(by("rich-menu-areas").hidden));
