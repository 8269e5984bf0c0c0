// Who had what, and when: a lane for each session, lock or election, to the millisecond and to scale.

import { el, KeyedChildren, setAttribute, setHidden } from './dom.js';
import { Loaded } from './loaded.js';
import { OwnerLabel } from './owner.js';
import { pageOf } from './route.js';
import { Chart } from './timeline_chart.js';
import { describe, Details, spoken } from './timeline_details.js';
import { listen } from './timeline_input.js';
import { spanOf, toTime } from './timeline_scale.js';
import { Selection } from './timeline_selection.js';
import { createTimelineTools, kindOf } from './timeline_tools.js';
import { TimelineWindow } from './timeline_window.js';

const PAGE = 100;
const LEGEND_MAX = 12;
const HINT =
  'Point at a span, or move with the arrow keys, to see who had it and how exactly that is known. ' +
  'The wheel zooms, dragging moves.';

export class Timeline {
  #context;
  #chart;
  #details = new Details(HINT);
  #loaded;
  #tools;
  #legendList = el('ul', { class: 'legend', 'aria-label': 'Owners' });
  #legend;
  #window = new TimelineWindow();
  #selection = new Selection();
  #parameters = null;
  // What the pointer is at, by the keys of its lane and its piece: both may change or go while the pointer rests.
  #hovered = null;
  #pointer = null;
  #frame = null;
  #lastDraw = 0;
  #writing = null;
  moves = true;
  element;

  constructor(context) {
    this.#context = context;
    this.#chart = new Chart(context.colours);
    this.#loaded = new Loaded({ noun: 'the timeline', shown: this.#chart.element, onRetry: () => context.refresh() });
    const control = this.#control();
    this.#tools = createTimelineTools(context, control);
    this.#legend = new KeyedChildren(this.#legendList, () => {
      const label = new OwnerLabel(context.colours);
      return { element: el('li', {}, label.element), update: (owner) => label.update(owner) };
    });
    this.element = el(
      'section',
      { class: 'timeline', 'aria-label': 'Timeline' },
      this.#tools.element,
      this.#loaded.notice.element,
      this.#chart.element,
      this.#details.element,
      this.#legendList,
    );
    listen(this.#chart.element, control);
    this.#chart.element.addEventListener('scroll', () => this.#draw());
    this.#chart.element.addEventListener('focus', () => {
      if (this.#chart.element.matches(':focus-visible') && this.#selected() === null) control.move({ lanes: 0, items: 0 });
    });
    new ResizeObserver(() => this.#draw()).observe(this.#chart.element);
  }

  show(parameters) {
    const before = this.#parameters;
    this.#parameters = parameters;
    const differs = (...names) => before === null || names.some((name) => before[name] !== parameters[name]);
    if (differs('fleet', 'kind', 'q', 'page')) this.#selection.clear();
    if (differs('fleet', 'kind')) this.#loaded.wait();
    if (differs('span', 'end')) this.#window.fromRoute(parameters, this.#context.now());
    this.#tools.show(parameters, this.#window.follows);
    this.#draw();
  }

  load(signal) {
    const { fleet, q } = this.#parameters;
    const kind = kindOf(this.#parameters);
    const page = pageOf(this.#parameters);
    // A window's width more than what is shown, so that panning finds something while the next answer is under way.
    const { shown } = this.#window;
    const from = Math.max(0, Math.floor(shown.from - spanOf(shown)));
    const ask = async () => {
      const answer = await this.#context.api.get(
        'timeline',
        {
          kind,
          fleet: kind === 'session' ? fleet : null,
          search: q,
          limit: PAGE,
          offset: (page - 1) * PAGE,
          from_ms: from,
        },
        signal,
      );
      this.#context.answered(answer);
      return { ...answer, kind, q, page, since: Math.max(answer.began_ms, from) };
    };
    return this.#loaded.load(signal, ask, () => this.render());
  }

  explain(message) {
    this.#loaded.explain(message);
  }

  render() {
    if (this.#loaded.answer === null) return;
    const { kind, q, total, at_ms, quarantines, page } = this.#loaded.answer;
    const lanes = this.#context.changes.applyToLanes(kind, this.#loaded.answer.lanes, at_ms);
    const owners = [...new Set(lanes.flatMap((lane) => lane.spans.map((span) => span.owner)))].sort();
    this.#context.colours.learn(owners);
    this.#legend.update(owners.slice(0, LEGEND_MAX), (owner) => owner);
    if (lanes.length > 0) this.#loaded.notice.none();
    else this.#loaded.notice.empty(`${kind} ${q}`, () => [el('p', {}, emptyText(kind, q))]);
    const nodes = [...new Set(quarantines.map((quarantine) => quarantine.node))].map((node) => ({
      name: node,
      quarantines: quarantines.filter((quarantine) => quarantine.node === node),
    }));
    this.#chart.setLanes([...nodes, ...lanes]);
    setHidden(this.#chart.element, lanes.length + nodes.length === 0);
    this.#tools.pager.update({ page, size: PAGE, shown: lanes.length, total });
    this.#draw();
  }

  // While it follows, the picture is drawn again as often as it moves by a pixel; for whoever wants no motion, once a
  // second.
  tick(now) {
    if (!this.#window.follows || this.#loaded.answer === null) return;
    const { shown } = this.#window;
    const pixel = spanOf(shown) / Math.max(this.#chart.width, 1);
    const moved = Math.abs(now - shown.to);
    if (moved >= (this.#context.calm() ? 1_000 : pixel) || performance.now() - this.#lastDraw > 1_000) this.#draw();
  }

  #draw() {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = null;
      if (this.#loaded.answer !== null && this.element.isConnected) this.#drawNow();
    });
  }

  #drawNow() {
    this.#lastDraw = performance.now();
    const now = this.#context.now();
    this.#window.advance(now);
    const { began_ms: began, blind, quarantines } = this.#loaded.answer;
    const band =
      (type) =>
      ({ from_ms, to_ms }) => ({ type, from: from_ms, to: to_ms ?? now });
    const bands = [
      { type: 'blind', from: -Infinity, to: began },
      ...blind.map(band('blind')),
      ...quarantines.map(band('quarantine')),
      { type: 'future', from: now, to: Infinity },
    ];
    const selected = this.#selected();
    const words = selected && describe(selected.item, this.#chart.lanes[selected.lane].name, now);
    this.#chart.draw({
      window: this.#window.shown,
      since: this.#loaded.answer.since,
      now,
      bands,
      active: selected && { lane: selected.lane, key: selected.item.key, text: spoken(words) },
    });
    setAttribute(this.#chart.element, 'aria-activedescendant', selected ? 'timeline-active' : null);
    this.#details.show(this.#hoveredWords(now) ?? words);
    this.#chart.showCursor(this.#pointer, this.#window.shown);
  }

  #hoveredWords(now) {
    if (this.#hovered === null) return null;
    const lane = this.#chart.lane(this.#hovered.lane);
    const item = lane?.measure(this.#loaded.answer.since, now).find(({ key }) => key === this.#hovered.key);
    if (item) return describe(item, lane.name, now);
    this.#hovered = null;
    return null;
  }

  // Lanes that are not on the screen are measured when the keyboard gets there.
  #lanes() {
    const { lanes } = this.#chart;
    return {
      keys: lanes.map(({ key }) => key),
      items: (index) => lanes[index].measure(this.#loaded.answer.since, this.#context.now()),
    };
  }

  #selected() {
    return this.#loaded.answer === null ? null : this.#selection.get(this.#lanes());
  }

  #select(change) {
    if (this.#loaded.answer === null) return;
    change();
    const selected = this.#selected();
    if (selected === null) return;
    this.#chart.scrollTo(selected.lane);
    if (this.#window.reveal(selected.item, this.#context.now())) this.#changed();
    this.#draw();
  }

  #changed() {
    this.#tools.showFollows(this.#window.follows);
    this.#draw();
    // The address is written once the hand rests; browsers refuse to have it written with every notch of a wheel.
    clearTimeout(this.#writing);
    this.#writing = setTimeout(() => {
      if (!this.element.isConnected) return;
      const parameters = this.#window.toRoute();
      this.#parameters = { ...this.#parameters, ...asRoute(parameters) };
      this.#context.adjust(parameters);
    }, 300);
  }

  #control() {
    const moving =
      (move) =>
      (...values) => {
        move(this.#context.now(), ...values);
        this.#changed();
      };
    const point = (event) => {
      this.#pointer = event?.clientX ?? null;
      const found = event && this.#chart.at(event, this.#window.shown);
      this.#hovered = found && { lane: found.lane.key, key: found.item.key };
      this.#draw();
    };
    return {
      zoom: moving((now, factor, clientX) => this.#window.zoom(factor, this.#fixed(clientX), now)),
      pan: moving((now, part) => this.#window.pan(part, now)),
      dragBy: moving((now, pixels) => this.#window.pan(-pixels / this.#chart.width, now)),
      span: moving((now, span) => this.#window.setSpan(span, now)),
      fit: moving((now) => this.#window.fit(this.#loaded.answer?.began_ms ?? now, now)),
      follow: moving((now) => this.#window.follow(now)),
      zoomToActive: moving((now) => {
        const selected = this.#selected();
        if (selected) this.#window.zoomTo(selected.item, now);
      }),
      move: (steps) => this.#select(() => this.#selection.move(steps, this.#lanes(), this.#window.shown.to)),
      edge: (first) => this.#select(() => this.#selection.toEdge(first, this.#lanes())),
      clear: () => this.#select(() => this.#selection.clear()),
      choose: (event) => {
        const found = this.#chart.at(event, this.#window.shown);
        if (found) this.#select(() => this.#selection.set(found.lane.key, found.item));
      },
      hover: point,
      leave: () => point(null),
    };
  }

  // The moment that stays in place while zooming: the one under the pointer, or else the middle of the selected piece.
  #fixed(clientX) {
    if (clientX !== null) return toTime(clientX - this.#chart.left, this.#window.shown, this.#chart.width);
    const selected = this.#selected();
    return selected && !selected.item.lasts ? (selected.item.from + selected.item.to) / 2 : null;
  }
}

// As the address has them: text, and nothing where it is the default.
function asRoute(parameters) {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, value === null ? undefined : String(value)]),
  );
}

function emptyText(kind, q) {
  return q ? `No ${kind} on record matches “${q}”.` : `No ${kind} on record.`;
}
