// The lists in Notion: one row for each page of a database.

import { make } from "/static/nodes.js";
import { texts } from "/static/texts.js";

const by = (id) => document.getElementById(id);
let drawn = "";

/** Draws `[{title, pages: [{page_id, title, is_done, values, blocks}]}]` after a change. */
export function showLists(lists) {
  const signature = JSON.stringify(lists);
  if (drawn === signature) return;
  drawn = signature;
  by("lists").hidden = lists.length === 0;
  by("databases").replaceChildren(...lists.flatMap(databaseOf));
}

function databaseOf({ title, pages }) {
  const rows = make("ul", "pages", ...pages.map(pageOf));
  rows.setAttribute("aria-label", title);
  return [make("h3", "", title), pages.length > 0 ? rows : make("p", "wire-hint", texts.listEmpty)];
}

function pageOf({ title, is_done, values, blocks }) {
  const box = make("span", "tick", is_done ? "☑" : "☐");
  box.setAttribute("role", "img");
  box.setAttribute("aria-label", is_done ? texts.ticked : texts.unticked);
  const details = blocks > 0 ? [...values, texts.blocks(blocks)] : values;
  return make("li", is_done ? "page done" : "page", box, make("span", "page-title", title), make("span", "took", details.join(" · ")));
}
