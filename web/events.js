// Changes of owners as they happen, newest first. Only the last few hundred are kept: the timeline has the rest.

import { el, KeyedChildren, setAttribute, setHidden, setText } from './dom.js';
import { count, dateOf, duration, plural, timeOfDay } from './format.js';
import { OwnerLabel } from './owner.js';
import { formatRoute } from './route.js';
import { SearchField } from './toolbar.js';

const KINDS = { '': 'Everything', session: 'Sessions', lock: 'Locks', election: 'Elections' };

// How exact the time of a change is. Pure.
export function exactness(change) {
  const width = change.at_ms - change.at_min_ms;
  return width <= 0 ? 'exact' : `at most ${duration(width)} earlier`;
}

export function matches(change, kind, text) {
  if (kind && change.kind !== kind) return false;
  if (!text) return true;
  const wanted = text.toLowerCase();
  return [change.name, change.owner, change.was].some((field) => field?.toLowerCase().includes(wanted));
}

// A line about one change, or about many that the server did not list.
export function changeLine(context) {
  const time = el('time', {});
  const kind = el('span', { class: 'kind' });
  const name = el('a', { class: 'id' });
  const was = new OwnerLabel(context.colours);
  const arrow = el('span', { class: 'arrow', 'aria-label': 'to' }, '→');
  const owner = new OwnerLabel(context.colours);
  const token = el('span', { class: 'token' });
  const hand = el('span', { class: 'hand-over' }, was.element, arrow, owner.element);
  const element = el('li', { class: 'change' }, time, kind, name, hand, token);
  return {
    element,
    update(change) {
      setText(time, timeOfDay(change.at_ms));
      setAttribute(time, 'datetime', new Date(change.at_ms).toISOString());
      setHidden(hand, change.kind === 'many');
      setHidden(token, change.kind === 'many');
      const { fleet } = context.route().parameters;
      if (change.kind === 'many') {
        setText(kind, '');
        setText(name, `${count(change.count)} owners changed at once: the timeline has them`);
        setAttribute(name, 'href', formatRoute({ view: 'timeline', parameters: { fleet } }));
        return;
      }
      setAttribute(time, 'title', `${dateOf(change.at_ms)} ${timeOfDay(change.at_ms)}, ${exactness(change)}`);
      setText(kind, change.kind);
      setText(name, change.name);
      const parameters = { fleet, kind: change.kind, q: change.name };
      setAttribute(name, 'href', formatRoute({ view: 'timeline', parameters }));
      was.update(change.was);
      owner.update(change.owner);
      setText(token, change.token === null ? '' : `token ${change.token}`);
    },
  };
}

export class Events {
  #context;
  #list = el('ol', { class: 'changes', 'aria-label': 'Changes of owners, newest first' });
  #lines;
  #empty = el('div', { class: 'notice', 'data-kind': 'empty' }, el('p', {}));
  #search;
  #kind;
  #hold;
  #held = null;
  #heldCount = el('span', { class: 'range' });
  #parameters = {};
  element;

  constructor(context) {
    this.#context = context;
    this.#lines = new KeyedChildren(this.#list, () => changeLine(context));
    this.#search = new SearchField({
      label: 'Search changes',
      placeholder: 'Search name or owner',
      onSearch: (q) => context.adjust({ q }),
    });
    this.#kind = el(
      'select',
      { 'aria-label': 'Kind', on: { change: () => context.adjust({ kind: this.#kind.value }) } },
      ...Object.entries(KINDS).map(([value, label]) => el('option', { value }, label)),
    );
    this.#hold = el('button', { type: 'button', 'aria-pressed': 'false', on: { click: () => this.#toggle() } }, 'Hold');
    this.#hold.title = 'Keep the list as it is, to read it';
    this.element = el(
      'section',
      { class: 'list', 'aria-label': 'Events' },
      el('div', { class: 'toolbar' }, this.#search.element, this.#kind, this.#hold, this.#heldCount),
      this.#empty,
      this.#list,
    );
  }

  show(parameters) {
    this.#parameters = parameters;
    this.#search.show(parameters.q ?? '');
    this.#kind.value = Object.hasOwn(KINDS, parameters.kind ?? '') ? parameters.kind : '';
    this.render();
  }

  // The event stream brings everything.
  async load() {
    this.render();
  }

  explain() {}

  tick() {}

  render() {
    const all = this.#context.changes.list;
    const shown = (this.#held ?? all).filter((change) => matches(change, this.#kind.value, this.#parameters.q));
    this.#lines.update(shown, (change) => change.key);
    setHidden(this.#empty, shown.length > 0);
    setText(
      this.#empty.firstChild,
      all.length === 0
        ? `No owner has changed since this page was opened, at ${timeOfDay(this.#context.openedAt())}.`
        : 'No change matches.',
    );
    const fresh = this.#held === null ? 0 : all.findIndex((change) => change === this.#held[0]);
    setText(
      this.#heldCount,
      this.#held === null
        ? plural(shown.length, 'change')
        : `held, ${fresh < 0 ? `${count(all.length)} or more` : count(fresh)} new`,
    );
  }

  #toggle() {
    this.#held = this.#held === null ? [...this.#context.changes.list] : null;
    setAttribute(this.#hold, 'aria-pressed', String(this.#held !== null));
    this.render();
  }
}
