// A fleet: how many sessions are in which state, its instances, and how evenly they share the work.

import { el, KeyedChildren, setAttribute, setHidden, setText } from './dom.js';
import { ago, count, countdown, plural } from './format.js';
import { OwnerLabel } from './owner.js';
import { formatRoute } from './route.js';

// Beyond this many the list would be longer than anybody reads; the numbers above it still count all.
const INSTANCES_MAX = 200;

// `level` is how bad it is if the count is not zero.
const TILES = [
  { key: 'sessions', label: 'sessions', sort: 'id' },
  { key: 'owned', label: 'owned', sort: 'owner' },
  { key: 'nobody', label: 'unowned', level: 'bad', sort: null },
  { key: 'failing', label: 'failing', level: 'bad', sort: null },
  { key: 'paused', label: 'paused', sort: 'id' },
  { key: 'bad', label: 'unreadable', level: 'warn' },
  { key: 'unlisted', label: 'unlisted' },
];
// These exist in few fleets, and are shown only there.
const SELDOM = ['paused', 'bad', 'unlisted'];

const STATUS = { ready: 'ok', leaving: 'idle', silent: 'bad' };

function createTile(context, tile) {
  const figure = el('strong', {});
  const element = el(tile.sort === undefined ? 'div' : 'a', { class: 'tile' }, figure, el('span', {}, tile.label));
  return {
    element,
    update(counts) {
      const number = counts[tile.key] ?? 0;
      setText(figure, count(number));
      setAttribute(element, 'data-level', number > 0 ? tile.level : null);
      setHidden(element, number === 0 && SELDOM.includes(tile.key));
      if (tile.sort === undefined) return;
      const parameters = { fleet: context.route().parameters.fleet, sort: tile.sort };
      setAttribute(element, 'href', formatRoute({ view: 'sessions', parameters }));
    },
  };
}

function createInstance(context) {
  const label = new OwnerLabel(context.colours);
  const link = el('a', { class: 'id' }, label.element);
  const badge = el('span', { class: 'badge' });
  const owned = el('span', { class: 'figure' });
  const fill = el('span', { class: 'bar-fill' });
  const mark = el('span', { class: 'bar-share' });
  const bar = el('span', { class: 'bar', role: 'img' }, fill, mark);
  const detail = el('span', { class: 'detail' });
  return {
    element: el('li', {}, el('div', { class: 'line' }, link, badge, owned), bar, detail),
    update({ instance, most, at, now }) {
      label.update(instance.id);
      setAttribute(
        link,
        'href',
        formatRoute({
          view: 'sessions',
          parameters: { fleet: context.route().parameters.fleet, q: instance.id },
        }),
      );
      setText(badge, instance.status);
      setAttribute(badge, 'data-level', STATUS[instance.status] ?? 'warn');
      setText(owned, plural(instance.owned, 'session'));
      setAttribute(fill, 'data-owner', context.colours.of(instance.id));
      fill.style.width = `${(100 * instance.owned) / most}%`;
      mark.style.left = `${(100 * instance.share) / most}%`;
      setAttribute(bar, 'aria-label', `owns ${instance.owned}, its share is ${Number(instance.share).toFixed(2)}`);
      setText(detail, instanceDetail(instance, at, now));
    },
  };
}

// Pure.
export function instanceDetail(instance, at, now) {
  return [
    `share ${Number(instance.share).toFixed(2)}`,
    instance.weight !== 1 && `weight ${instance.weight}`,
    instance.says_owned !== instance.owned && `says that it owns ${count(instance.says_owned)}`,
    instance.started_ms !== null && `started ${ago(now - instance.started_ms)}`,
    instance.left_ms !== null && `heartbeat lasts ${countdown(instance.left_ms - (now - at))}`,
  ]
    .filter(Boolean)
    .join(' · ');
}

export function balanceText(fleet) {
  if (fleet.balance === null) return fleet.instances.length === 0 ? 'no instance runs' : 'no instance is ready';
  const { within_one, most, fewest } = fleet.balance;
  return within_one
    ? 'balanced: everybody is within one session of its share'
    : `uneven: from ${fewest} to ${most} sessions`;
}

export class FleetPanel {
  #context;
  #name = el('span', { class: 'detail' });
  #tiles;
  #balance = el('span', { class: 'detail' });
  #list = el('ul', { class: 'instances' });
  #instances;
  #more = el('p', { class: 'muted', hidden: true });
  #fleet = null;
  element;

  constructor(context) {
    this.#context = context;
    this.#tiles = TILES.map((tile) => createTile(context, tile));
    this.#instances = new KeyedChildren(this.#list, () => createInstance(context));
    this.element = el(
      'section',
      { class: 'panel', 'aria-labelledby': 'fleet-title' },
      el('header', {}, el('h2', { id: 'fleet-title' }, 'Fleet'), this.#name),
      el('div', { class: 'tiles' }, ...this.#tiles.map((tile) => tile.element)),
      el('header', { class: 'sub' }, el('h3', {}, 'Instances'), this.#balance),
      this.#list,
      this.#more,
    );
  }

  update(fleet) {
    this.#fleet = fleet;
    this.#context.colours.learn(fleet.instances.map((instance) => instance.id));
    setText(this.#name, fleet.fleet);
    for (const tile of this.#tiles) tile.update(fleet.counts);
    setText(this.#balance, balanceText(fleet));
    setAttribute(this.#balance, 'data-level', fleet.balance?.within_one === false ? 'warn' : null);
    const hidden = fleet.instances.length - INSTANCES_MAX;
    setHidden(this.#more, hidden <= 0);
    setText(this.#more, `and ${plural(hidden, 'more instance', 'more instances')}`);
    this.tick(this.#context.now());
  }

  tick(now) {
    if (this.#fleet === null) return;
    const { at_ms: at } = this.#fleet;
    const shown = this.#fleet.instances.slice(0, INSTANCES_MAX);
    const most = Math.max(1, ...this.#fleet.instances.map(({ owned, share }) => Math.max(owned, share)));
    this.#instances.update(
      shown.map((instance) => ({ instance, most, at, now })),
      ({ instance }) => instance.id,
    );
  }
}
