// The first page: is anything wrong, who shares the work, what fails, and what changed last.

import { el, KeyedChildren, setAttribute, setHidden, setText } from './dom.js';
import { changeLine } from './events.js';
import { Loaded } from './loaded.js';
import { FindingsPanel, findingsOf, NodesPanel } from './overview_nodes.js';
import { FleetPanel } from './overview_fleet.js';
import { OwnerLabel } from './owner.js';
import { formatRoute } from './route.js';
import { outcome } from './sessions.js';

const LISTED = 8;

function createTrouble(context) {
  const id = el('a', { class: 'id' });
  const badge = el('span', { class: 'badge' });
  const owner = new OwnerLabel(context.colours);
  const detail = el('span', { class: 'detail' });
  return {
    element: el('li', {}, el('div', { class: 'line' }, id, badge, owner.element), detail),
    update({ session, now }) {
      const { level, text, when, error } = outcome(session, now);
      setText(id, session.id);
      const parameters = { fleet: context.route().parameters.fleet, q: session.id };
      setAttribute(id, 'href', formatRoute({ view: 'sessions', parameters }));
      setText(badge, text);
      setAttribute(badge, 'data-level', level);
      owner.update(session.owner);
      setText(detail, [when, error].filter(Boolean).join(' · '));
    },
  };
}

// A list with a sentence for when it is empty.
class ListPanel {
  #list = el('ul', {});
  #empty;
  #entries;
  element;

  constructor({ title, id, empty, create }) {
    this.#empty = el('p', { class: 'muted' }, empty);
    this.#entries = new KeyedChildren(this.#list, create);
    this.element = el(
      'section',
      { class: 'panel', 'aria-labelledby': id },
      el('header', {}, el('h2', { id }, title)),
      this.#list,
      this.#empty,
    );
  }

  update(items, keyOf) {
    this.#entries.update(items, keyOf);
    setHidden(this.#empty, items.length > 0);
  }
}

export class Overview {
  #context;
  #findings = new FindingsPanel({ title: 'Findings', id: 'findings-title' });
  #notes = new FindingsPanel({ title: 'Good to know', id: 'notes-title' });
  #nodes = new NodesPanel();
  #fleet;
  #troubles;
  #recent;
  #loaded;
  #panels;
  #parameters = {};
  element;

  constructor(context) {
    this.#context = context;
    this.#fleet = new FleetPanel(context);
    this.#troubles = new ListPanel({
      title: 'Failing',
      id: 'troubles-title',
      empty: 'Nothing: every session has an owner, and its last poll went well.',
      create: () => createTrouble(context),
    });
    this.#recent = new ListPanel({
      title: 'Last changes',
      id: 'recent-title',
      empty: 'No owner has changed since this page was opened.',
      create: () => changeLine(context),
    });
    this.#panels = el(
      'div',
      { class: 'panels', hidden: true },
      this.#findings.element,
      this.#fleet.element,
      el('div', { class: 'column' }, this.#nodes.element, this.#troubles.element, this.#recent.element),
      this.#notes.element,
    );
    this.#loaded = new Loaded({ noun: 'the overview', shown: this.#panels, onRetry: () => context.refresh() });
    this.element = el('section', { class: 'overview', 'aria-label': 'Overview' }, this.#loaded.notice.element, this.#panels);
  }

  show(parameters) {
    if (parameters.fleet !== this.#parameters.fleet) this.#loaded.wait();
    this.#parameters = parameters;
  }

  load(signal) {
    const { fleet } = this.#parameters;
    const get = (path, more) => this.#context.api.get(path, { fleet, ...more }, signal);
    const ask = async () => {
      const [state, worst] = await Promise.all([get('fleet'), get('sessions', { sort: 'failing', limit: LISTED })]);
      this.#context.answered(state);
      return { state, worst, at_ms: state.at_ms };
    };
    return this.#loaded.load(signal, ask, () => this.render());
  }

  explain(message) {
    this.#loaded.explain(message);
  }

  render() {
    if (this.#loaded.answer === null) return;
    this.#loaded.notice.none();
    setHidden(this.#panels, false);
    this.#fleet.update(this.#loaded.answer.state);
    this.showNodes();
    this.#recent.update(this.#context.changes.list.slice(0, LISTED), (change) => change.key);
    this.tick(this.#context.now());
  }

  // The nodes are asked for by the page itself, which shows their health beside every view.
  showNodes() {
    const nodes = this.#context.nodes();
    setHidden(this.#nodes.element, nodes === null);
    if (nodes !== null) this.#nodes.update(nodes);
    const found = findingsOf(nodes, this.#loaded.answer?.state);
    // What wants somebody to act stands on top, what does not at the end.
    this.#findings.update(found.filter((finding) => finding.severity !== 'note'));
    this.#notes.update(found.filter((finding) => finding.severity === 'note'));
  }

  tick(now) {
    if (this.#loaded.answer === null) return;
    this.#fleet.tick(now);
    const bad = this.#loaded.answer.worst.sessions.filter((session) => outcome(session, now).level === 'bad');
    this.#troubles.update(
      bad.map((session) => ({ session, now })),
      ({ session }) => session.id,
    );
  }
}
