// The picture of the timeline: the axis, the lanes that can be seen, and behind them what concerns all lanes.

import { el, KeyedChildren, setAttribute, setHidden, setText, svg } from './dom.js';
import { timeOfDay } from './format.js';
import { Lane, laneKey } from './timeline_lane.js';
import { itemAt } from './timeline_marks.js';
import { spanOf, ticks, toTime, toX } from './timeline_scale.js';

const LANE = 28;
const REACH = 4;
const LABEL_ROOM = 36;

function createBand() {
  const element = svg('rect', { y: 0, height: '100%' });
  return {
    element,
    update({ band, window, width }) {
      const x = Math.max(toX(band.from, window, width), -1);
      setAttribute(element, 'class', `band ${band.type}`);
      setAttribute(element, 'x', x.toFixed(2));
      setAttribute(element, 'width', Math.max(Math.min(toX(band.to, window, width), width + 1) - x, 0).toFixed(2));
    },
  };
}

function createTick() {
  const line = svg('line', { y1: 20, y2: 26 });
  const text = svg('text', { y: 15 });
  const element = svg('g', { class: 'tick' }, line, text);
  return {
    element,
    update({ tick, x, width }) {
      setAttribute(element, 'transform', `translate(${x.toFixed(2)} 0)`);
      // A label that would be cut off at the edge could be read as another time.
      setText(text, x < LABEL_ROOM || x > width - LABEL_ROOM ? '' : tick.label);
    },
  };
}

function createGridLine() {
  const element = svg('line', { class: 'grid-line', y1: 0, y2: '100%' });
  return {
    element,
    update({ x }) {
      setAttribute(element, 'x1', x.toFixed(2));
      setAttribute(element, 'x2', x.toFixed(2));
    },
  };
}

// Stripes say "unknown" and "quarantine" without a colour.
function stripes(id) {
  return svg(
    'pattern',
    { id, width: 6, height: 6, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
    svg('rect', { width: 2.5, height: 6, class: id }),
  );
}

export class Chart {
  #axis = svg('svg', { class: 'axis', height: 26 });
  #ticks = new KeyedChildren(this.#axis, createTick);
  #bandGroup = svg('g', {});
  #gridGroup = svg('g', {});
  #bands = new KeyedChildren(this.#bandGroup, createBand);
  #grid = new KeyedChildren(this.#gridGroup, createGridLine);
  #backdrop = svg(
    'svg',
    { class: 'backdrop', 'aria-hidden': 'true' },
    svg('defs', {}, stripes('stripes-blind'), stripes('stripes-quarantine'), stripes('stripes-cluster')),
    this.#bandGroup,
    this.#gridGroup,
  );
  #rows = el('div', { class: 'lanes', role: 'rowgroup' });
  #lanes;
  #order = [];
  #activeLane = null;
  #cursorTime = el('span', {});
  #cursor = el('div', { class: 'cursor', 'aria-hidden': 'true', hidden: true }, this.#cursorTime);
  #corner = el('div', { class: 'corner' });
  element = el(
    'div',
    { class: 'chart', role: 'grid', tabindex: 0, 'aria-label': 'Ownership timeline' },
    el('div', { class: 'axis-row', 'aria-hidden': 'true' }, this.#corner, this.#axis),
    el('div', { class: 'lanes-area' }, this.#backdrop, this.#rows, this.#cursor),
  );

  constructor(colours) {
    this.#lanes = new KeyedChildren(this.#rows, () => new Lane(colours));
    setText(this.#corner, Intl.DateTimeFormat().resolvedOptions().timeZone);
  }

  setLanes(lanes) {
    this.#lanes.update(
      lanes.map((lane, index) => ({ lane, index })),
      ({ lane }) => laneKey(lane),
    );
    this.#order = [...this.#lanes.entries()];
    setAttribute(this.element, 'aria-rowcount', this.#order.length);
  }

  get lanes() {
    return this.#order;
  }

  // The lane with this key, if there still is one.
  lane(key) {
    return this.#lanes.get(key);
  }

  get width() {
    return this.#axis.clientWidth;
  }

  // Where the pictures begin, from the left edge of the window of the browser.
  get left() {
    return this.#axis.getBoundingClientRect().left;
  }

  // `active` is {lane, key, text}: where the keyboard is, and what a screen reader says of it.
  draw({ window, since, now, bands, active }) {
    const { width } = this;
    if (width === 0) return;
    const at = ticks(window, width).map((tick) => ({ tick, width, x: toX(tick.at, window, width) }));
    this.#ticks.update(at, ({ tick }) => tick.at);
    this.#grid.update(at, ({ tick }) => tick.at);
    const seen = bands.filter((band) => band.to > window.from && band.from < window.to);
    this.#bands.update(
      seen.map((band) => ({ band, window, width })),
      ({ band }) => `${band.type} ${band.from}`,
    );
    const activeLane = active ? this.#order[active.lane] : null;
    // It may have scrolled off the screen, where it is not drawn again; two of them must not claim to be active.
    if (this.#activeLane !== activeLane) this.#activeLane?.deactivate();
    this.#activeLane = activeLane;
    for (const lane of this.#visible()) {
      lane.measure(since, now);
      lane.draw({ window, width, active: lane === activeLane ? active : null });
    }
  }

  // Only lanes on the screen are drawn, and one more on each side.
  #visible() {
    const first = Math.max(0, Math.floor(this.element.scrollTop / LANE) - 1);
    const last = Math.ceil((this.element.scrollTop + this.element.clientHeight) / LANE) + 1;
    return this.#order.slice(first, last);
  }

  scrollTo(index) {
    this.#order[index]?.element.scrollIntoView({ block: 'nearest' });
  }

  // What is under the pointer, as {lane, item}.
  at(event, window) {
    const row = event.target.closest?.('.lane');
    if (!row || !this.element.contains(row)) return null;
    const lane = this.#order[Number(row.dataset.index)];
    const x = event.clientX - this.left;
    if (x < 0) return null;
    const reach = (REACH / this.width) * spanOf(window);
    const item = itemAt(lane.items, toTime(x, window, this.width), reach);
    return item && { lane, item };
  }

  showCursor(clientX, window) {
    const x = clientX - this.left;
    const inside = clientX !== null && x >= 0 && x <= this.width;
    setHidden(this.#cursor, !inside);
    if (!inside) return;
    const place = x + this.#corner.offsetWidth;
    this.#cursor.style.transform = `translateX(${place}px)`;
    setAttribute(this.#cursor, 'data-side', x > this.width / 2 ? 'left' : 'right');
    setText(this.#cursorTime, timeOfDay(toTime(x, window, this.width)));
  }
}
