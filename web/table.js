// A table whose rows are kept while their key stays, so that a refresh every second disturbs neither focus nor selection. On
// a narrow page each row becomes a card (tables.css). Browsers forget what a table is once its display changes: hence the
// roles.

import { el, KeyedChildren, setAttribute } from './dom.js';

// A column is {label, name, create(cell), ticks?, sort?, direction?}: `create` fills the cell, and returns update(row, now),
// which is called with every answer and, if it `ticks`, a few times a second between them. `sort` is the order that its
// header asks for.
export class Table {
  element;
  #head = new Map();
  #rows;
  #shown = [];
  #keyOf;

  constructor({ label, columns, keyOf, onSort }) {
    this.#keyOf = keyOf;
    const head = columns.map((column) => this.#header(column, onSort));
    const body = el('tbody', { role: 'rowgroup' });
    this.element = el(
      'table',
      { role: 'table', 'aria-label': label },
      el('thead', { role: 'rowgroup' }, el('tr', { role: 'row', 'aria-rowindex': 1 }, ...head)),
      body,
    );
    this.#rows = new KeyedChildren(body, () => createRow(columns));
  }

  // `first` is the index of the first row among all, `total` how many there are on all pages.
  update(rows, now, { first = 0, total = rows.length } = {}) {
    this.#shown = rows;
    setAttribute(this.element, 'aria-rowcount', total + 1);
    this.#rows.update(
      rows.map((row, index) => ({ row, now, index: first + index })),
      ({ row }) => this.#keyOf(row),
    );
  }

  tick(now) {
    for (const row of this.#shown) this.#rows.get(this.#keyOf(row))?.tick(row, now);
  }

  showSort(order) {
    for (const [header, column] of this.#head) {
      setAttribute(header, 'aria-sort', column.sort === order ? (column.direction ?? 'ascending') : 'none');
    }
  }

  #header(column, onSort) {
    const content = column.sort
      ? el('button', { type: 'button', class: 'sort', on: { click: () => onSort(column.sort) } }, column.label)
      : el('span', {}, column.label);
    const header = el('th', { role: 'columnheader', scope: 'col', 'data-column': column.name }, content);
    if (column.sort) this.#head.set(header, column);
    return header;
  }
}

function createRow(columns) {
  const element = el('tr', { role: 'row' });
  const updates = columns.map((column, index) => {
    const cell =
      index === 0
        ? el('th', { role: 'rowheader', scope: 'row', 'data-column': column.name })
        : el('td', { role: 'cell', 'data-column': column.name, 'data-label': column.label });
    const content = el('div', { class: 'cell' });
    cell.append(content);
    element.append(cell);
    return column.create(content);
  });
  const ticking = updates.filter((_, index) => columns[index].ticks);
  return {
    element,
    tick: (row, now) => ticking.forEach((update) => update(row, now)),
    update({ row, now, index }) {
      setAttribute(element, 'aria-rowindex', index + 2);
      updates.forEach((update) => update(row, now));
    },
  };
}
