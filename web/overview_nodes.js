// The nodes, whether they would give a lease now, and what `tenure doctor` finds.

import { el, KeyedChildren, setAttribute, setHidden, setText } from './dom.js';
import { duration, plural } from './format.js';

const STATUS = {
  healthy: { level: 'ok', text: 'healthy' },
  degraded: { level: 'warn', text: 'degraded' },
  no_quorum: { level: 'bad', text: 'no quorum' },
};
const LEVELS = { error: 'bad', warning: 'warn', note: 'idle' };

export const statusOf = (nodes) => STATUS[nodes.status] ?? { level: 'idle', text: nodes.status };

// The facts about a node that answers, in a line. Pure.
export function facts(node) {
  const trip = node.round_trip_us;
  return [
    node.version,
    node.role,
    trip !== null && `round trip ${trip < 1000 ? `${trip} µs` : `${(trip / 1000).toFixed(1)} ms`}`,
    node.clock_ahead_ms !== null &&
      Math.abs(node.clock_ahead_ms) >= 1 &&
      `clock ${duration(Math.abs(node.clock_ahead_ms))} ${node.clock_ahead_ms > 0 ? 'ahead' : 'behind'}`,
    node.record && node.record !== 'open' && `record ${node.record}`,
  ]
    .filter(Boolean)
    .join(' · ');
}

function createNode() {
  const badge = el('span', { class: 'badge' });
  const address = el('span', { class: 'id' });
  const detail = el('span', { class: 'detail' });
  const reason = el('span', { class: 'reason' });
  return {
    element: el('li', {}, el('div', { class: 'line' }, address, badge), detail, reason),
    update(node) {
      setText(address, node.address);
      setText(badge, node.healthy ? 'healthy' : node.up ? 'gives no leases' : 'down');
      setAttribute(badge, 'data-level', node.healthy ? 'ok' : node.up ? 'warn' : 'bad');
      setText(detail, facts(node));
      setText(reason, node.reason ?? '');
      setHidden(reason, node.reason === null);
    },
  };
}

function createFinding() {
  const badge = el('span', { class: 'badge' });
  const what = el('strong', {});
  const why = el('p', {});
  const advice = el('p', { class: 'advice' });
  const node = el('span', { class: 'detail' });
  return {
    element: el('li', { class: 'finding' }, el('div', { class: 'line' }, badge, what, node), why, advice),
    update(finding) {
      setText(badge, finding.severity);
      setAttribute(badge, 'data-level', LEVELS[finding.severity] ?? 'idle');
      setText(what, finding.what);
      setText(node, finding.node ?? '');
      setText(why, finding.why);
      setText(advice, finding.do);
      setHidden(advice, !finding.do);
    },
  };
}

export class NodesPanel {
  #summary = el('span', { class: 'detail' });
  #badge = el('span', { class: 'badge' });
  #list = el('ul', { class: 'nodes' });
  #nodes = new KeyedChildren(this.#list, createNode);
  element = el(
    'section',
    { class: 'panel', 'aria-labelledby': 'nodes-title' },
    el('header', {}, el('h2', { id: 'nodes-title' }, 'Nodes'), this.#badge, this.#summary),
    this.#list,
  );

  update(nodes) {
    const { level, text } = statusOf(nodes);
    setText(this.#badge, text);
    setAttribute(this.#badge, 'data-level', level);
    setText(this.#summary, `${nodes.healthy_nodes} of ${plural(nodes.nodes.length, 'node')}, ${nodes.quorum} needed`);
    this.#nodes.update(nodes.nodes, (node) => node.address);
  }
}

// Findings of the doctor, and nodes that give this fleet no leases, the worst first. Pure.
export function findingsOf(nodes, fleet) {
  const known = nodes?.findings ?? [];
  // A quarantine is a finding of the doctor, too; once is enough.
  const seen = new Set(known.map((finding) => `${finding.code} ${finding.node}`));
  const notOpen = (fleet?.not_open ?? [])
    .filter((node) => !seen.has(`${node.code} ${node.node}`))
    .map((node) => ({
      severity: 'warning',
      code: node.code,
      node: node.node,
      what: node.what,
      why: node.why,
      do: [node.advice, node.left_ms !== null && `Open again in about ${duration(node.left_ms)}.`]
        .filter(Boolean)
        .join(' '),
    }));
  return [...known, ...notOpen];
}

// A list of findings, hidden while there are none.
export class FindingsPanel {
  #list = el('ul', { class: 'findings' });
  #findings = new KeyedChildren(this.#list, createFinding);
  element;

  constructor({ title, id }) {
    this.element = el(
      'section',
      { class: 'panel wide', 'aria-labelledby': id, hidden: true },
      el('header', {}, el('h2', { id }, title)),
      this.#list,
    );
  }

  update(findings) {
    setHidden(this.element, findings.length === 0);
    this.#findings.update(findings, (finding) => `${finding.severity} ${finding.code} ${finding.node}`);
  }
}
