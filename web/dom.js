// Builds elements from plain data. Strings become text nodes, never markup: names, addresses and errors come from strangers.

const SVG = 'http://www.w3.org/2000/svg';

// Attributes whose value is null, undefined or false are left out; `on` holds event listeners.
function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name === 'on') {
      for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    } else if (value !== null && value !== undefined && value !== false) {
      node.setAttribute(name, value === true ? '' : value);
    }
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

export const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);

export const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

// The page is updated every second, mostly with what it shows already: writing only what differs keeps the browser from
// laying it out again, and a reader's selection in place.
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export function setAttribute(node, name, value) {
  if (value === null || value === undefined || value === false) {
    if (node.hasAttribute(name)) node.removeAttribute(name);
    return;
  }
  const text = value === true ? '' : String(value);
  if (node.getAttribute(name) !== text) node.setAttribute(name, text);
}

export function setHidden(node, hidden) {
  if (node.hidden !== hidden) node.hidden = hidden;
}

// Makes the children of a parent those of `items`, in their order. An item keeps its element for as long as its key stays,
// and with it the focus. `create(item)` returns {element, update(item)}.
export class KeyedChildren {
  #parent;
  #create;
  #entries = new Map();

  constructor(parent, create) {
    this.#parent = parent;
    this.#create = create;
  }

  update(items, keyOf) {
    const wanted = new Map();
    for (const item of items) {
      const key = keyOf(item);
      if (!wanted.has(key)) wanted.set(key, item);
    }
    // Those that are gone go first: what stands behind them is in its place then. An element that is inserted again loses
    // the focus.
    for (const [key, entry] of this.#entries) {
      if (!wanted.has(key)) entry.element.remove();
    }
    const kept = new Map();
    let place = this.#parent.firstChild;
    for (const [key, item] of wanted) {
      const entry = this.#entries.get(key) ?? this.#create(item);
      kept.set(key, entry);
      entry.update(item);
      if (entry.element === place) {
        place = place.nextSibling;
      } else {
        this.#parent.insertBefore(entry.element, place);
      }
    }
    this.#entries = kept;
  }

  entries() {
    return this.#entries.values();
  }

  get(key) {
    return this.#entries.get(key);
  }
}
