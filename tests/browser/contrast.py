"""The contrast of the texts of a page.  Source: WCAG 2.2, "Contrast (Minimum)", "relative luminance"."""

from typing import Final

from playwright.sync_api import Page

_MEASURE: Final = """() => {
  const parse = (colour) => { const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number); return [r, g, b, a]; };
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a)];
  const light = (rgb) => {
    const [r, g, b] = rgb.map((value) => value / 255).map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (node) => {
    const layers = [];
    for (let at = node; at; at = at.parentElement) {
      const layer = parse(getComputedStyle(at).backgroundColor);
      layers.push(layer);
      if (layer[3] === 1) break;
    }
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
  };
  const found = [];
  for (const node of document.querySelectorAll("body *")) {
    const texts = [...node.childNodes].filter((child) => child.nodeType === 3 && child.textContent.trim());
    if (!texts.length || node.closest(":disabled, .flex-bubble, .visually-hidden, option") || !node.checkVisibility()) continue;
    const below = ground(node);
    const words = over(parse(getComputedStyle(node).color), below);
    const [one, other] = [light(words), light(below)].sort((a, b) => b - a);
    const ratio = (one + 0.05) / (other + 0.05);
    if (ratio < 4.5) found.push(`${ratio.toFixed(2)} ${node.tagName}.${node.className} ${texts[0].textContent.trim().slice(0, 40)}`);
  }
  return found;
}"""


def faint_texts(page: Page) -> list[str]:
    """Return the visible texts whose contrast is below 4.5, without disabled ones and those that the bot coloured."""
    return [str(found) for found in page.evaluate(_MEASURE)]
