// The controls above a list: a search field, and the pages below it.

import { el, setAttribute, setHidden, setText } from './dom.js';
import { count, plural } from './format.js';

// Each letter asks the server, which sorts ten thousand sessions for it: wait until the reader pauses.
const TYPING_PAUSE = 200;

export class SearchField {
  #input;
  #timer = null;
  element;

  constructor({ label, placeholder, onSearch }) {
    this.#input = el('input', {
      type: 'search',
      placeholder,
      'aria-label': label,
      autocomplete: 'off',
      spellcheck: 'false',
      maxlength: 200,
      on: {
        input: () => {
          clearTimeout(this.#timer);
          this.#timer = setTimeout(() => {
            if (this.element.isConnected) onSearch(this.#input.value.trim());
          }, TYPING_PAUSE);
        },
        keydown: (event) => {
          if (event.key !== 'Escape' || this.#input.value === '') return;
          event.preventDefault();
          clearTimeout(this.#timer);
          this.#input.value = '';
          onSearch('');
        },
      },
    });
    this.element = el('div', { class: 'search', role: 'search' }, this.#input);
  }

  // Whoever types must not have the text changed under the cursor.
  show(text) {
    if (document.activeElement !== this.#input && this.#input.value !== text) this.#input.value = text;
  }
}

export class Pager {
  #range = el('span', { class: 'range' });
  #previous;
  #next;
  element;
  #page = 1;

  constructor(noun, onPage) {
    const button = (label, step, text) =>
      el(
        'button',
        {
          type: 'button',
          'aria-label': label,
          hidden: true,
          on: { click: () => onPage(this.#page + step) },
        },
        text,
      );
    this.#previous = button('Previous page', -1, '‹');
    this.#next = button('Next page', 1, '›');
    this.noun = noun;
    this.element = el(
      'div',
      { class: 'pager', role: 'group', 'aria-label': 'Pages' },
      this.#range,
      this.#previous,
      this.#next,
    );
  }

  update({ page, size, shown, total }) {
    this.#page = page;
    const first = (page - 1) * size;
    const single = total <= size && page === 1;
    setText(
      this.#range,
      single
        ? plural(total, this.noun)
        : `${count(Math.min(first + 1, total))}–${count(first + shown)} of ${plural(total, this.noun)}`,
    );
    setHidden(this.#previous, single);
    setHidden(this.#next, single);
    setAttribute(this.#previous, 'disabled', page === 1);
    setAttribute(this.#next, 'disabled', first + shown >= total);
  }
}
