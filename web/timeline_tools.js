// The controls above the timeline.

import { el, setAttribute } from './dom.js';
import { Pager, SearchField } from './toolbar.js';

const KINDS = { session: 'Sessions', lock: 'Locks', election: 'Elections' };
const SPANS = {
  1000: '1 s',
  10_000: '10 s',
  60_000: '1 min',
  120_000: '2 min',
  300_000: '5 min',
  900_000: '15 min',
  3_600_000: '1 h',
  21_600_000: '6 h',
  86_400_000: '1 d',
};
const STEP = 0.5;

// Names that every object has, such as "constructor", are no kinds.
export const kindOf = ({ kind }) => (Object.hasOwn(KINDS, kind ?? '') ? kind : 'session');

export function createTimelineTools(context, control) {
  const search = new SearchField({
    label: 'Search lanes',
    placeholder: 'Search name',
    onSearch: (q) => context.adjust({ q, page: null }),
  });
  const kind = el(
    'select',
    {
      'aria-label': 'Lanes of',
      on: { change: () => context.adjust({ kind: kind.value === 'session' ? null : kind.value, page: null }) },
    },
    ...Object.entries(KINDS).map(([value, label]) => el('option', { value }, label)),
  );
  const span = el(
    'select',
    {
      'aria-label': 'Length of the window',
      on: {
        change: () => {
          if (span.value) control.span(Number(span.value));
        },
      },
    },
    el('option', { value: '' }, 'Window'),
    ...Object.entries(SPANS).map(([value, label]) => el('option', { value }, label)),
  );
  const button = (label, text, title, act) =>
    el('button', { type: 'button', 'aria-label': label, title, on: { click: act } }, text);
  const live = el(
    'button',
    {
      type: 'button',
      'aria-pressed': 'true',
      title: 'Follow the clock (L)',
      on: { click: () => control.follow() },
    },
    'Follow',
  );
  const pager = new Pager('lane', (page) => context.adjust({ page }));
  const zoom = el(
    'div',
    { class: 'group', role: 'group', 'aria-label': 'Zoom' },
    button('Zoom out', '−', 'Zoom out (−)', () => control.zoom(1 / STEP, null)),
    button('Zoom in', '+', 'Zoom in (+)', () => control.zoom(STEP, null)),
    button('Earlier', '‹', 'Earlier (Shift and ←)', () => control.pan(-0.4)),
    button('Later', '›', 'Later (Shift and →)', () => control.pan(0.4)),
    button('Everything that was recorded', 'All', 'Everything that was recorded (0)', () => control.fit()),
    live,
  );
  return {
    element: el('div', { class: 'toolbar' }, search.element, kind, span, zoom, pager.element),
    pager,
    show(parameters, follows) {
      search.show(parameters.q ?? '');
      kind.value = kindOf(parameters);
      span.value = Object.hasOwn(SPANS, parameters.span ?? '') ? parameters.span : '';
      this.showFollows(follows);
    },
    showFollows: (follows) => setAttribute(live, 'aria-pressed', String(follows)),
  };
}
