// Nodes of the page. Texts of people are set as textContent, never as markup.

/** Creates a node with a class, and children that are nodes or texts. */
export function make(name, className, ...children) {
  const node = document.createElement(name);
  if (className) node.className = className;
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}
