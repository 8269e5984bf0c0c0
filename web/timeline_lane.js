// One lane of the timeline: the name of a session, lock or election, or of a node that was in quarantine, and its spans to
// scale.

import { el, KeyedChildren, setAttribute, setText, svg } from './dom.js';
import { count, duration } from './format.js';
import { laneItems, marksOf } from './timeline_marks.js';
import { toX } from './timeline_scale.js';

const TOP = 4;
const HEIGHT = 20;
const LETTER = 6.4;

// Text that is cut off so that it fits, or nothing if hardly a letter would.
export function fitted(text, width) {
  const letters = Math.floor((width - 10) / LETTER);
  if (text.length <= letters) return text;
  return letters < 4 ? '' : `${text.slice(0, letters - 1)}…`;
}

function rectangle(node, from, to) {
  setAttribute(node, 'x', from.toFixed(2));
  setAttribute(node, 'width', Math.max(to - from, 0).toFixed(2));
}

function createMark(colours) {
  const start = svg('rect', { class: 'edge', y: TOP, height: HEIGHT });
  const body = svg('rect', { class: 'body', y: TOP, height: HEIGHT });
  const end = svg('rect', { class: 'edge', y: TOP, height: HEIGHT });
  const line = svg('path', { class: 'gap-line' });
  const text = svg('text', { class: 'mark-text', y: TOP + 14 });
  const element = svg('g', {}, start, body, end, line, text);
  return {
    element,
    update({ mark, window, width }) {
      const { item, type } = mark;
      // A rectangle that reaches far beyond the picture costs nothing, but its numbers lose their digits.
      const cut = (x) => Math.min(Math.max(x, -20), width + 20);
      const [x, to] = [cut(mark.x), cut(mark.end)];
      setAttribute(element, 'class', `mark ${type}`);
      setAttribute(element, 'data-owner', type === 'span' ? colours.of(item.owner) : null);
      if (type === 'span') {
        const sure = Math.max(x, cut(toX(item.toMin, window, width)));
        rectangle(start, cut(toX(item.fromMin, window, width)), x);
        rectangle(body, x, Math.max(sure, x + 1));
        rectangle(end, Math.max(sure, x + 1), to);
      } else {
        rectangle(start, 0, 0);
        rectangle(body, x, Math.max(to, x + 1.5));
        rectangle(end, 0, 0);
      }
      setAttribute(line, 'd', type === 'gap' ? `M${x} ${TOP + 4}v12M${x} ${TOP + 10}H${to}M${to} ${TOP + 4}v12` : null);
      const left = Math.max(x, 0);
      setText(text, fitted(markText(mark), Math.min(to, width) - left));
      setAttribute(text, 'x', (type === 'gap' ? (left + Math.min(to, width)) / 2 : left + 5).toFixed(1));
    },
  };
}

function markText({ item, type, count: number }) {
  if (type === 'span') return item.owner;
  if (type === 'cluster') return count(number);
  return type === 'quarantine' ? `quarantine: ${item.why}` : duration(item.to - item.from);
}

// A node and a lock may have the same name.
export const laneKey = (lane) => `${lane.quarantines ? 'node' : 'lane'} ${lane.name}`;

export class Lane {
  #name = el('span', { class: 'lane-name', role: 'rowheader' });
  #marks = svg('g', { role: 'gridcell' });
  // The keyboard is at this piece. It is drawn by itself, because the piece may be too small to be drawn, or be joined to
  // others.
  #active = svg('rect', { class: 'active', role: 'gridcell', y: TOP - 2, height: HEIGHT + 4, rx: 3 });
  #picture = svg('svg', { role: 'none', class: 'lane-picture', height: 28 }, this.#marks, this.#active);
  #drawn;
  #lane = null;
  #nodes = false;
  items = [];
  element = el('div', { class: 'lane', role: 'row' }, this.#name, this.#picture);

  constructor(colours) {
    this.#drawn = new KeyedChildren(this.#marks, () => createMark(colours));
  }

  // `lane` is {name, spans}, or {name, quarantines} for a node.
  update({ lane, index }) {
    this.#lane = lane;
    this.#nodes = lane.quarantines !== undefined;
    setText(this.#name, lane.name);
    setAttribute(this.#name, 'title', lane.name);
    setAttribute(this.element, 'aria-rowindex', index + 1);
    setAttribute(this.element, 'class', this.#nodes ? 'lane node' : 'lane');
    this.element.dataset.index = index;
  }

  get name() {
    return this.#lane.name;
  }

  get key() {
    return laneKey(this.#lane);
  }

  measure(since, now) {
    this.items = this.#nodes ? quarantineItems(this.#lane.quarantines, now) : laneItems(this.#lane.spans, since, now);
    return this.items;
  }

  // `active` is {key, text} if the keyboard is in this lane.
  draw({ window, width, active }) {
    const marks = marksOf(this.items, window, width);
    this.#drawn.update(
      marks.map((mark) => ({ mark, window, width })),
      ({ mark }) => mark.key,
    );
    setAttribute(this.#marks, 'aria-label', this.#summary());
    const item = active && this.items.find(({ key }) => key === active.key);
    this.#activate(item ? active.text : null);
    if (!item) return;
    const x = Math.max(toX(item.from, window, width), 2) - 2;
    rectangle(this.#active, x, Math.max(Math.min(toX(item.to, window, width) + 2, width), x + 5));
  }

  // The keyboard has left this lane.
  deactivate() {
    this.#activate(null);
  }

  #activate(text) {
    setAttribute(this.#active, 'display', text === null ? 'none' : null);
    setAttribute(this.#active, 'id', text === null ? null : 'timeline-active');
    setAttribute(this.#active, 'aria-label', text);
  }

  #summary() {
    const last = this.items.at(-1);
    if (this.#nodes) return last?.lasts ? 'in quarantine' : 'open again';
    return last?.type === 'span' && last.lasts ? `now ${last.owner}` : 'now nobody';
  }
}

export function quarantineItems(quarantines, now) {
  return quarantines.map(({ why, from_ms, to_ms }) => ({
    type: 'quarantine',
    key: `quarantine ${from_ms}`,
    why,
    from: from_ms,
    to: to_ms ?? now,
    lasts: to_ms === null,
  }));
}
