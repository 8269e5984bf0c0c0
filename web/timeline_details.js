// Says in words what a piece of the timeline is: who had it, from when to when, and how exactly that is known.

import { el } from './dom.js';
import { duration, exactDuration, moment, timeOfDay } from './format.js';

// {title, facts: [[label, text]]}. Pure.
export function describe(item, lane, now) {
  const from = moment(item.from, now);
  const to = item.lasts ? 'now' : moment(item.to, now);
  const length = exactDuration(item.to - item.from);
  if (item.type === 'span') return describeSpan(item, lane, { from, to, length });
  if (item.type === 'quarantine') {
    return {
      title: `${lane}: gave no new leases`,
      facts: [
        ['Why', item.why],
        ['From', from],
        ['To', item.lasts ? 'still' : to],
        ['Length', length],
      ],
    };
  }
  return {
    title: `${lane}: nobody had it`,
    facts: [
      ['Before', item.openStart ? 'not recorded' : item.before],
      ['After', item.after ?? 'nobody yet'],
      ['From', item.openStart ? `${from} or earlier` : from],
      ['To', to],
      ['Length', gapLength(item, length)],
    ].filter(([, text]) => text !== null),
  };
}

function describeSpan(item, lane, { from, to, length }) {
  const early = item.from - item.fromMin;
  const late = item.to - item.toMin;
  const facts = [
    ['Owner', item.owner],
    ['Token', item.token === null ? 'unknown' : String(item.token)],
    [
      'From',
      item.fromUnknown
        ? `${from}, or earlier`
        : early > 0
          ? `${from}, at most ${duration(early)} earlier`
          : `${from}, exact`,
    ],
    ['To', item.lasts ? 'still' : late > 0 ? `${to}, last seen ${timeOfDay(item.toMin)}` : `${to}, exact`],
    ['Length', item.lasts ? `${length} so far` : length],
  ];
  return { title: `${lane}: ${item.owner}`, facts };
}

function gapLength(item, length) {
  if (item.openStart || item.least === undefined) return `at least ${length}`;
  if (item.lasts) return `${length} so far`;
  if (item.least === item.most) return `${length}, exact`;
  return `${length}, between ${exactDuration(item.least)} and ${exactDuration(item.most)}`;
}

// One sentence for a screen reader.
export function spoken({ title, facts }) {
  return `${title}. ${facts.map(([label, text]) => `${label}: ${text}`).join('. ')}`;
}

export class Details {
  #hint;
  #shown = '';
  element;

  constructor(hint) {
    this.#hint = hint;
    this.element = el('div', { class: 'details' });
    this.show(null);
  }

  show(description) {
    const key = JSON.stringify(description);
    if (key === this.#shown) return;
    this.#shown = key;
    if (description === null) {
      this.element.replaceChildren(el('p', { class: 'muted' }, this.#hint));
      return;
    }
    const facts = description.facts.map(([label, text]) => el('div', {}, el('dt', {}, label), el('dd', {}, text)));
    this.element.replaceChildren(el('strong', {}, description.title), el('dl', {}, ...facts));
  }
}
