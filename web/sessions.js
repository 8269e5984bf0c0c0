// All sessions of a fleet: who polls them, how the last poll went, how long polls take, and when the next one is due.

import { el, setAttribute, setText } from './dom.js';
import { ago, countdown, duration, latency, timeOfDay } from './format.js';
import { ListView } from './list_view.js';
import { command } from './notice.js';
import { OwnerLabel } from './owner.js';
import { formatRoute } from './route.js';
import { Sparkline } from './sparkline.js';

const SORTS = { failing: 'Failing first', id: 'Session', owner: 'Owner', latency: 'Slowest first', due: 'Next due' };

// Only in these states somebody polls a session; the server counts likewise.
const OWNED = ['held', 'perhaps'];

// What the last poll says. Pure.
export function outcome(session, now) {
  const { result, paused, state } = session;
  const when = result === null || result.at_ms === null ? '' : ago(now - result.at_ms);
  const error = result?.error ?? '';
  if (paused) return { level: 'idle', text: 'paused', when, error };
  if (!OWNED.includes(state)) return { level: 'bad', text: 'unowned', when, error };
  if (result === null) return { level: 'idle', text: 'not polled yet', when, error };
  return result.ok ? { level: 'ok', text: 'ok', when, error } : { level: 'bad', text: 'failed', when, error };
}

export function nextDue(session, now) {
  if (session.due_ms === null) return '–';
  const left = session.due_ms - now;
  if (left > 0) return `in ${countdown(left)}`;
  // A poll takes a moment, and so does the look that sees its result.
  return left > -2_000 ? 'now' : `late by ${duration(-left)}`;
}

function idColumn(context) {
  return {
    label: 'Session',
    name: 'id',
    sort: 'id',
    create(cell) {
      const id = el('a', { class: 'id' });
      const address = el('span', { class: 'address' });
      cell.append(id, address);
      return (session) => {
        setText(id, session.id);
        setAttribute(id, 'title', `${session.id}: show it in the timeline`);
        const parameters = { fleet: context.route().parameters.fleet, kind: 'session', q: session.id };
        setAttribute(id, 'href', formatRoute({ view: 'timeline', parameters }));
        setText(address, session.address);
        setAttribute(address, 'title', session.address);
      };
    },
  };
}

function ownerColumn(context) {
  return {
    label: 'Owner',
    name: 'owner',
    sort: 'owner',
    create(cell) {
      const label = new OwnerLabel(context.colours);
      const token = el('span', { class: 'token' });
      cell.append(label.element, token);
      return (session) => {
        label.update(session.owner);
        const unusual = session.state === 'held' || session.state === 'free' ? '' : `${session.state} · `;
        setText(token, session.token === null ? '' : `${unusual}token ${session.token}`);
      };
    },
  };
}

const resultColumn = {
  label: 'Last result',
  name: 'result',
  ticks: true,
  sort: 'failing',
  direction: 'other',
  create(cell) {
    const badge = el('span', { class: 'badge' });
    const when = el('span', { class: 'detail when' });
    const error = el('span', { class: 'detail error' });
    cell.append(badge, when, error);
    return (session, now) => {
      const last = outcome(session, now);
      setAttribute(badge, 'data-level', last.level);
      setText(badge, last.text);
      setText(when, last.when);
      setAttribute(when, 'title', last.when ? timeOfDay(session.result.at_ms) : null);
      setText(error, last.error);
      setAttribute(error, 'title', last.error || null);
    };
  },
};

const latencyColumn = {
  label: 'Latency',
  name: 'latency',
  sort: 'latency',
  direction: 'descending',
  create(cell) {
    const spark = new Sparkline();
    const last = el('span', { class: 'figure' });
    cell.append(spark.element, last);
    return (session) => {
      spark.update(session.latencies);
      const took = session.result?.took_ms ?? null;
      setText(last, took === null ? '–' : latency(took));
    };
  },
};

const dueColumn = {
  label: 'Next due',
  name: 'due',
  ticks: true,
  sort: 'due',
  create(cell) {
    const due = el('span', { class: 'figure' });
    const every = el('span', { class: 'every' });
    cell.append(due, every);
    return (session, now) => {
      setText(due, session.paused ? 'paused' : nextDue(session, now));
      setText(every, `every ${duration(session.interval_ms).replace(/\.0+ /, ' ')}`);
    };
  },
};

// The headers sort, too, but a narrow page has none.
function sortPicker(context) {
  const select = el(
    'select',
    {
      'aria-label': 'Sort by',
      on: { change: () => context.adjust({ sort: select.value === 'failing' ? null : select.value, page: null }) },
    },
    ...Object.entries(SORTS).map(([value, label]) => el('option', { value }, label)),
  );
  return select;
}

export function createSessions(context) {
  const picker = sortPicker(context);
  return new ListView(context, {
    kind: 'session',
    noun: 'session',
    title: 'Sessions',
    path: 'sessions',
    withFleet: true,
    placeholder: 'Search id, address or owner',
    items: (answer) => answer.sessions,
    nameOf: (session) => session.id,
    sorts: Object.keys(SORTS),
    sort: 'failing',
    toolbar: () => picker,
    showSort: (sort) => {
      picker.value = sort;
    },
    columns: () => [idColumn(context), ownerColumn(context), resultColumn, latencyColumn, dueColumn],
    empty: () => [
      el('h2', {}, 'This fleet has no sessions'),
      el('p', {}, 'A session is something to poll. Add one, and start an instance that polls it:'),
      command('tenure sessions add shop https://shop.example.org/health --every 10s'),
      command('tenure poll'),
    ],
  });
}
