// Flex messages, drawn as LINE draws their common components. Sizes are those of LINE's reference; all values were checked by the platform.

import { make } from "./nodes.js";
import { texts } from "./texts.js";

const TEXT_PX = { xxs: 11, xs: 13, sm: 14, md: 16, lg: 19, xl: 22, xxl: 29, "3xl": 35, "4xl": 48, "5xl": 74 };
const IMAGE_PX = { xxs: 40, xs: 60, sm: 80, md: 100, lg: 120, xl: 140, xxl: 160, "3xl": 180, "4xl": 200, "5xl": 220 };
const SPACE_PX = { none: 0, xs: 2, sm: 4, md: 8, lg: 12, xl: 16, xxl: 20 };
const BORDER_PX = { none: 0, light: 0.5, normal: 1, medium: 2, "semi-bold": 3, bold: 4 };
const BUBBLE_PX = { nano: 120, micro: 160, deca: 220, hecto: 241, kilo: 260, mega: 300, giga: 386 };
const PLACE = { start: "flex-start", top: "flex-start", center: "center", end: "flex-end", bottom: "flex-end" };
const EMPTY = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";
const LOCAL = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const shown = new Set(); // the hosts whose pictures a person asked for
const BLOCKS = ["header", "hero", "body", "footer"];

/** Draws a bubble or a carousel. `act(action)` carries out an action object. */
export function flexNode(contents, act) {
  if (contents.type !== "carousel") return bubbleNode(contents, act);
  const carousel = make("div", "flex-carousel", ...contents.contents.map((bubble) => bubbleNode(bubble, act)));
  carousel.tabIndex = 0;
  return carousel;
}

function bubbleNode(bubble, act) {
  const node = make("div", "flex-bubble");
  node.style.width = `${BUBBLE_PX[bubble.size] ?? BUBBLE_PX.mega}px`;
  if (bubble.direction === "rtl") node.dir = "rtl";
  for (const name of BLOCKS) {
    if (!bubble[name]) continue;
    const style = bubble.styles?.[name] ?? {};
    const block = make("div", `flex-block flex-${name}`, componentNode(bubble[name], "vertical", act));
    if (style.backgroundColor) block.style.backgroundColor = style.backgroundColor;
    if (style.separator) block.style.borderTop = `1px solid ${style.separatorColor ?? "#d9dde2"}`;
    if (bubble[name].type === "box" && hasPadding(bubble[name])) block.classList.add("flex-bare");
    node.append(block);
  }
  return onTap(node, bubble.action, act);
}

const hasPadding = (box) => Object.keys(box).some((name) => name.startsWith("padding"));

function componentNode(component, layout, act) {
  const draw = { box: boxNode, text: textNode, image: imageNode, icon: iconNode, button: buttonNode, separator: separatorNode, video: videoNode }[component.type];
  const node = draw ? draw(component, act, layout) : make("div", "");
  place(node, component, layout);
  return component.type === "button" ? node : onTap(node, component.action, act);
}

function boxNode(box, act) {
  const parts = box.contents.map((one) => componentNode(one, box.layout, act));
  const node = make("div", `flex-box flex-${box.layout}`, ...parts);
  const { style } = node;
  const gap = spaceOf(box.spacing);
  if (gap) style.gap = gap;
  for (const [index, one] of box.contents.entries()) {
    if (gap && index && one.margin) setMargin(parts[index], box.layout, `calc(${spaceOf(one.margin)} - ${gap})`); // it overrides the spacing
  }
  if (box.backgroundColor) style.backgroundColor = box.backgroundColor;
  if (box.background?.type === "linearGradient") {
    const { angle = "0deg", startColor = "#fff", centerColor, endColor = "#fff" } = box.background;
    style.backgroundImage = `linear-gradient(${[angle, startColor, centerColor, endColor].filter(Boolean).join(", ")})`;
  }
  if (box.borderWidth) style.border = `${lengthOf(box.borderWidth, BORDER_PX)} solid ${box.borderColor ?? "#d9dde2"}`;
  if (box.cornerRadius) style.borderRadius = spaceOf(box.cornerRadius);
  for (const [name, property] of [["paddingAll", "padding"], ["paddingTop", "paddingTop"], ["paddingBottom", "paddingBottom"], ["paddingStart", "paddingInlineStart"], ["paddingEnd", "paddingInlineEnd"]]) {
    if (box[name]) style[property] = spaceOf(box[name]);
  }
  for (const name of ["width", "height", "maxWidth", "maxHeight"]) if (box[name]) style[name] = spaceOf(box[name]);
  if (box.width && box.flex === undefined) style.flex = "0 0 auto";
  if (box.justifyContent) style.justifyContent = box.justifyContent;
  if (box.alignItems) style.alignItems = box.alignItems;
  return node;
}

function textNode(text) {
  const node = make("div", "flex-text", ...(text.contents ? text.contents.map(spanNode) : [text.text]));
  lettering(node, text, true);
  if (text.wrap) node.classList.add("flex-wraps");
  if (text.align) node.style.textAlign = text.align;
  if (text.lineSpacing) node.style.lineHeight = `calc(1.35em + ${text.lineSpacing})`;
  if (text.maxLines && text.wrap) {
    node.classList.add("flex-clamped");
    node.style.webkitLineClamp = String(text.maxLines);
  }
  return node;
}

function spanNode(span) {
  const node = make("span", "", span.text);
  lettering(node, span, false);
  return node;
}

function lettering(node, { size, color, weight, style, decoration }, hasDefault) {
  if (size || hasDefault) node.style.fontSize = lengthOf(size ?? "md", TEXT_PX);
  if (color) node.style.color = color;
  if (weight) node.style.fontWeight = weight === "bold" ? "700" : "400";
  if (style) node.style.fontStyle = style;
  if (decoration) node.style.textDecoration = decoration;
}

function imageNode(image) {
  const picture = pictureNode(image, "flex-image");
  const frame = make("div", "flex-frame", picture);
  picture.style.width = image.size === "full" ? "100%" : lengthOf(image.size ?? "md", IMAGE_PX);
  frame.style.justifyContent = PLACE[image.align] ?? "center";
  return frame;
}

function iconNode(icon) {
  const node = pictureNode(icon, "flex-icon");
  node.style.height = lengthOf(icon.size ?? "md", TEXT_PX);
  return node;
}

function pictureNode({ url, aspectRatio = "1:1", aspectMode = "fit", backgroundColor }, className) {
  const picture = make("img", className);
  picture.alt = "";
  picture.loading = "lazy";
  picture.referrerPolicy = "no-referrer";
  picture.style.aspectRatio = aspectRatio.replace(":", " / ");
  picture.style.objectFit = aspectMode === "cover" ? "cover" : "contain";
  if (backgroundColor) picture.style.backgroundColor = backgroundColor;
  picture.title = url;
  const hostname = hostOf(url);
  if (hostname === null || shown.has(hostname) || LOCAL.test(hostname)) load(picture, url);
  else wait(picture, url, hostname);
  return picture;
}

/** The host of an address; null where it is none, so that loading it fails. */
function hostOf(url) {
  try {
    return new URL(url).hostname;
  } catch {
    return null;
  }
}

function load(picture, url) {
  picture.addEventListener("error", () => {
    picture.classList.add("flex-missing");
    picture.src = EMPTY;
  }, { once: true });
  picture.src = url;
}

/** A drawn picture of the given proportions, with two lines of text. */
function placard(lines, aspectRatio) {
  const [width, height] = aspectRatio.split("/").map(Number);
  const tall = Math.round((300 * height) / width);
  const svg = drawn("svg", { viewBox: `0 0 300 ${tall}`, "font-family": "sans-serif", "font-size": 15, "text-anchor": "middle", fill: "#3d4a57" });
  lines.forEach((line, index) => {
    const text = drawn("text", { x: 150, y: tall / 2 - 4 + 22 * index });
    text.textContent = line;
    svg.append(text);
  });
  return `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
}

function drawn(name, attributes) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [attribute, value] of Object.entries(attributes)) node.setAttribute(attribute, String(value));
  return node;
}

/** Nothing is fetched from outside unless a person clicks: a click on one picture loads all of its host. */
function wait(picture, url, hostname) {
  picture.classList.add("flex-waiting");
  picture.src = picture.classList.contains("flex-icon") ? EMPTY : placard(texts.loadPicture(hostname).split(/[:：] ?/u), picture.style.aspectRatio);
  picture.alt = texts.loadPicture(hostname);
  picture.title = texts.loadPicture(hostname);
  picture.tabIndex = 0;
  picture.setAttribute("role", "button");
  picture.dataset.host = hostname;
  const showAll = (event) => {
    event.stopPropagation();
    event.preventDefault();
    shown.add(hostname);
    for (const one of document.querySelectorAll(`.flex-waiting[data-host="${CSS.escape(hostname)}"]`)) one.dispatchEvent(new Event("allowed"));
  };
  const stop = new AbortController();
  picture.addEventListener("click", showAll, { signal: stop.signal });
  picture.addEventListener("keydown", (event) => { if (event.key === "Enter") showAll(event); }, { signal: stop.signal });
  picture.addEventListener("allowed", () => {
    stop.abort();
    picture.classList.remove("flex-waiting");
    picture.alt = "";
    picture.title = url;
    for (const name of ["tabindex", "role"]) picture.removeAttribute(name);
    load(picture, url);
  }, { once: true });
}

const videoNode = (video, act, layout) => componentNode(video.altContent, layout, act);

function buttonNode(button, act) {
  const node = make("button", `flex-button flex-${button.style ?? "link"}`, button.action.label ?? "");
  node.type = "button";
  if (button.height === "sm") node.classList.add("flex-low");
  if (button.color) node.style[button.style && button.style !== "link" ? "backgroundColor" : "color"] = button.color;
  node.addEventListener("click", (event) => {
    event.stopPropagation();
    act(button.action);
  });
  return node;
}

function separatorNode(separator, _act, layout) {
  const node = make("div", `flex-separator flex-${layout === "vertical" ? "across" : "along"}`);
  if (separator.color) node.style.backgroundColor = separator.color;
  return node;
}

function setMargin(node, layout, margin) {
  node.style[layout === "vertical" ? "marginTop" : "marginInlineStart"] = margin;
}

/** Where the component stands in its box. */
function place(node, component, layout) {
  const { style } = node;
  const isRow = layout !== "vertical";
  if (component.flex !== undefined) style.flex = component.flex === 0 ? "0 0 auto" : `${component.flex} 1 0`;
  else if (isRow && !["separator", "icon"].includes(component.type) && !component.width) style.flex = "1 1 0";
  if (component.margin) setMargin(node, layout, spaceOf(component.margin));
  if (component.gravity && layout === "horizontal") style.alignSelf = PLACE[component.gravity];
  if (component.position === "absolute") style.position = "absolute";
  for (const [name, property] of [["offsetTop", "top"], ["offsetBottom", "bottom"], ["offsetStart", "insetInlineStart"], ["offsetEnd", "insetInlineEnd"]]) {
    if (component[name]) style[property] = spaceOf(component[name]);
  }
  if (component.type !== "box" || component.position !== "absolute") style.position ||= "relative";
}

function onTap(node, action, act) {
  if (!action) return node;
  node.classList.add("flex-taps");
  node.tabIndex = 0;
  node.setAttribute("role", "button");
  if (action.label) node.setAttribute("aria-label", action.label);
  node.addEventListener("click", (event) => {
    event.stopPropagation();
    act(action);
  });
  node.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.target !== node) return;
    event.stopPropagation();
    act(action);
  });
  return node;
}

const lengthOf = (value, named) => (value in named ? `${named[value]}px` : value);
const spaceOf = (value) => (value === undefined ? "" : lengthOf(value, SPACE_PX));
