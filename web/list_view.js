// A searchable table of sessions, locks or elections, one page of them at a time: the server has all, the browser a hundred.

import { el, setHidden } from './dom.js';
import { Notice } from './notice.js';
import { pageOf } from './route.js';
import { Table } from './table.js';
import { Pager, SearchField } from './toolbar.js';

const PAGE = 100;

export class ListView {
  element;
  #context;
  #options;
  #search;
  #pager;
  #table;
  #notice;
  #parameters = {};
  #answer = null;

  // `options`: kind and noun; path, items(answer) and nameOf(row) say where the rows come from; columns; placeholder;
  // empty() makes what is said where there are none; sorts and sort (the default), if the server can sort them; withFleet.
  constructor(context, options) {
    this.#context = context;
    this.#options = options;
    this.#notice = new Notice(() => context.refresh());
    this.#search = new SearchField({
      label: `Search ${options.noun}s`,
      placeholder: options.placeholder,
      onSearch: (q) => context.adjust({ q, page: null }),
    });
    this.#pager = new Pager(options.noun, (page) => {
      context.adjust({ page });
      this.element.scrollIntoView({ block: 'start' });
    });
    this.#table = new Table({
      label: `${options.noun}s`,
      columns: options.columns(context),
      keyOf: options.nameOf,
      onSort: (sort) => context.adjust({ sort: sort === options.sort ? null : sort, page: null }),
    });
    this.element = el(
      'section',
      { class: 'list', 'aria-label': options.title },
      el('div', { class: 'toolbar' }, this.#search.element, options.toolbar?.(context), this.#pager.element),
      this.#notice.element,
      this.#table.element,
    );
    setHidden(this.#table.element, true);
    this.#notice.loading(`${options.noun}s`);
  }

  show(parameters) {
    // The rows of another fleet must not be taken for those of this one while they load.
    if (parameters.fleet !== this.#parameters.fleet) {
      this.#answer = null;
      setHidden(this.#table.element, true);
      this.#notice.loading(`${this.#options.noun}s`);
    }
    this.#parameters = parameters;
    this.#search.show(parameters.q ?? '');
    this.#options.showSort?.(this.#sort());
    this.#table.showSort(this.#sort());
  }

  async load(signal) {
    const { path, withFleet } = this.#options;
    const parameters = this.#parameters;
    try {
      const answer = await this.#context.api.get(
        path,
        {
          fleet: withFleet ? parameters.fleet : null,
          search: parameters.q,
          sort: this.#sort(),
          limit: PAGE,
          offset: (pageOf(parameters) - 1) * PAGE,
        },
        signal,
      );
      this.#answer = { ...answer, q: parameters.q, page: pageOf(parameters) };
      this.#context.answered(answer);
      this.render();
    } catch (error) {
      if (signal.aborted) return;
      if (this.#answer === null) this.explain(error.message);
      else this.#notice.outdated(error.message, this.#answer.at_ms);
    }
  }

  // Says why there is nothing to see, if there is nothing.
  explain(message) {
    if (this.#answer === null) this.#notice.failed(message);
  }

  // Also after a change of owners: the rows that are shown take it over before they are asked for again.
  render() {
    if (this.#answer === null) return;
    const { items, kind, nameOf, noun, empty } = this.#options;
    const { at_ms, q, page, total } = this.#answer;
    const rows = this.#context.changes
      .applyToRows(kind, items(this.#answer), at_ms, nameOf)
      .map((row) => ({ ...row, at_ms }));
    this.#context.colours.learn(rows.map((row) => row.owner));
    if (total > 0) this.#notice.none();
    else if (q) this.#notice.empty(q, () => [el('p', {}, `No ${noun} matches “${q}”.`)]);
    else this.#notice.empty('', empty);
    setHidden(this.#table.element, rows.length === 0);
    this.#table.update(rows, this.#context.now(), { first: (page - 1) * PAGE, total });
    this.#pager.update({ page, size: PAGE, shown: rows.length, total });
  }

  tick(now) {
    this.#table.tick(now);
  }

  #sort() {
    const { sorts, sort } = this.#options;
    return sorts?.includes(this.#parameters.sort) ? this.#parameters.sort : sort;
  }
}
