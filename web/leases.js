// Locks and elections: who has each, under which token, for how long without a renewal, and who waits.

import { el, setAttribute, setText } from './dom.js';
import { ago, count, countdown, dateOf, timeOfDay } from './format.js';
import { ListView } from './list_view.js';
import { command } from './notice.js';
import { OwnerLabel } from './owner.js';
import { formatRoute } from './route.js';

const MEANINGS = {
  held: 'a majority of the nodes shows the same grant',
  perhaps: 'held if the nodes that do not answer show it, too',
  kept: 'given back, and reserved for a waiter for a moment',
  broken: 'broken by an operator; stays taken until its last holder has stopped',
  foreign: 'taken by a key that Tenure did not write',
  free: 'nobody has it',
};

const LEVELS = { held: 'ok', perhaps: 'warn', kept: 'idle', broken: 'warn', foreign: 'warn', free: 'idle' };

// The time that is left of a lease, from an answer that said so at `at_ms`. Pure.
export function timeLeft(lease, now) {
  if (lease.owner === null) return '–';
  // A change of owners tells no expiry; the next answer does.
  if (lease.left_ms === null) return lease.state === 'foreign' ? 'no expiry' : '…';
  return countdown(lease.left_ms - (now - lease.at_ms));
}

function nameColumn(context, kind, label) {
  return {
    label,
    name: 'id',
    create(cell) {
      const name = el('a', { class: 'id' });
      cell.append(name);
      return (lease) => {
        setText(name, lease.name);
        setAttribute(name, 'title', `${lease.name}: show it in the timeline`);
        const parameters = { fleet: context.route().parameters.fleet, kind, q: lease.name };
        setAttribute(name, 'href', formatRoute({ view: 'timeline', parameters }));
      };
    },
  };
}

function ownerColumn(context, label, nobody) {
  return {
    label,
    name: 'owner',
    create(cell) {
      const owner = new OwnerLabel(context.colours);
      const began = el('span', { class: 'token' });
      cell.append(owner.element, began);
      return (lease, now) => {
        owner.update(lease.owner, nobody);
        const at = lease.owner === null || lease.owner_began === null ? null : lease.owner_began * 1000;
        setText(began, at === null ? '' : `process started ${ago(now - at)}`);
        setAttribute(began, 'title', at === null ? null : `${dateOf(at)} ${timeOfDay(at)}`);
      };
    },
  };
}

const stateColumn = {
  label: 'State',
  name: 'state',
  create(cell) {
    const badge = el('span', { class: 'badge' });
    const nodes = el('span', { class: 'detail' });
    cell.append(badge, nodes);
    return (lease) => {
      setText(badge, lease.state);
      setAttribute(badge, 'data-level', LEVELS[lease.state] ?? 'idle');
      setAttribute(badge, 'title', MEANINGS[lease.state]);
      setText(nodes, `on ${lease.shown_on} of ${lease.nodes} nodes`);
    };
  },
};

function figureColumn(label, name, text) {
  return {
    label,
    name,
    create(cell) {
      const figure = el('span', { class: 'figure' });
      cell.append(figure);
      return (lease, now) => setText(figure, text(lease, now));
    },
  };
}

const leftColumn = { ...figureColumn('Time left', 'left', timeLeft), ticks: true };

export function createLocks(context) {
  return new ListView(context, {
    kind: 'lock',
    noun: 'lock',
    title: 'Locks',
    path: 'locks',
    placeholder: 'Search name or holder',
    items: (answer) => answer.locks,
    nameOf: (lock) => lock.name,
    columns: () => [
      nameColumn(context, 'lock', 'Lock'),
      ownerColumn(context, 'Holder', 'nobody'),
      stateColumn,
      figureColumn('Token', 'token', (lock) => String(lock.token ?? '–')),
      leftColumn,
      figureColumn('Waiters', 'waiting', (lock) => (lock.waiting === 0 ? '–' : count(lock.waiting))),
    ],
    empty: () => [
      el('h2', {}, 'No locks are held'),
      el('p', {}, 'A lock is listed here while somebody holds it or waits for it:'),
      command('tenure run nightly-report -- ./report.sh'),
    ],
  });
}

export function createElections(context) {
  return new ListView(context, {
    kind: 'election',
    noun: 'election',
    title: 'Elections',
    path: 'elections',
    placeholder: 'Search name or leader',
    items: (answer) => answer.elections,
    nameOf: (election) => election.name,
    columns: () => [
      nameColumn(context, 'election', 'Election'),
      ownerColumn(context, 'Leader', 'nobody leads'),
      stateColumn,
      figureColumn('Term', 'token', (election) => String(election.token ?? '–')),
      leftColumn,
      figureColumn('Candidates', 'waiting', (election) => (election.waiting === 0 ? '–' : count(election.waiting))),
    ],
    empty: () => [
      el('h2', {}, 'Nobody leads anything'),
      el('p', {}, 'An election is listed here while it has a leader or candidates:'),
      command('tenure elect myapp:leader -- ./scheduler'),
    ],
  });
}
