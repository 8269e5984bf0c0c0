// A searchable table of sessions, locks or elections, one page of them at a time: the server has all, the browser a hundred.

import { el, setHidden } from './dom.js';
import { Loaded } from './loaded.js';
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
  #loaded;
  #parameters = {};

  // `options`: kind and noun; path, items(answer) and nameOf(row) say where the rows come from; columns; placeholder;
  // empty() makes what is said where there are none; sorts and sort (the default), if the server can sort them; withFleet.
  constructor(context, options) {
    this.#context = context;
    this.#options = options;
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
    this.#loaded = new Loaded({
      noun: `${options.noun}s`,
      shown: this.#table.element,
      onRetry: () => context.refresh(),
    });
    this.element = el(
      'section',
      { class: 'list', 'aria-label': options.title },
      el('div', { class: 'toolbar' }, this.#search.element, options.toolbar?.(context), this.#pager.element),
      this.#loaded.notice.element,
      this.#table.element,
    );
  }

  show(parameters) {
    if (parameters.fleet !== this.#parameters.fleet) this.#loaded.wait();
    this.#parameters = parameters;
    this.#search.show(parameters.q ?? '');
    this.#options.showSort?.(this.#sort());
    this.#table.showSort(this.#sort());
  }

  load(signal) {
    const { path, withFleet } = this.#options;
    const parameters = this.#parameters;
    const ask = async () => {
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
      this.#context.answered(answer);
      return { ...answer, q: parameters.q, page: pageOf(parameters) };
    };
    return this.#loaded.load(signal, ask, () => this.render());
  }

  explain(message) {
    this.#loaded.explain(message);
  }

  // Also after a change of owners: the rows that are shown take it over before they are asked for again.
  render() {
    const { answer, notice } = this.#loaded;
    if (answer === null) return;
    const { items, kind, nameOf, noun, empty } = this.#options;
    const { at_ms, q, page, total } = answer;
    const rows = this.#context.changes
      .applyToRows(kind, items(answer), at_ms, nameOf)
      .map((row) => ({ ...row, at_ms }));
    this.#context.colours.learn(rows.map((row) => row.owner));
    if (total > 0) notice.none();
    else if (q) notice.empty(q, () => [el('p', {}, `No ${noun} matches “${q}”.`)]);
    else notice.empty('', empty);
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
