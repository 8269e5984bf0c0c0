// What a view says instead of its rows, or above them: that it is loading, that there is nothing, or what went wrong.

import { el, setHidden, setText } from './dom.js';
import { timeOfDay } from './format.js';

export class Notice {
  element = el('div', { class: 'notice', hidden: true });
  #kind = '';
  #onRetry;

  constructor(onRetry) {
    this.#onRetry = onRetry;
  }

  none() {
    this.#kind = '';
    setHidden(this.element, true);
  }

  loading(what) {
    this.#show('loading', what, () => [el('p', {}, `Loading ${what}…`)]);
  }

  // `parts` are nodes or strings, made only when they are needed.
  empty(key, parts) {
    this.#show('empty', key, parts);
  }

  // There is nothing older that could be shown.
  failed(message) {
    this.#show('error', message, () => [
      el('h2', {}, 'Nothing can be shown yet'),
      el('p', {}, sentence(message)),
      el('p', { class: 'muted' }, 'The page tries again by itself.'),
      el('button', { type: 'button', on: { click: this.#onRetry } }, 'Try now'),
    ]);
  }

  // What is on the page is older than it should be.
  outdated(message, at) {
    this.#show('outdated', message, () => [
      el('p', {}, `This could not be refreshed: ${ended(message)} It shows what was known at ${timeOfDay(at)}.`),
    ]);
  }

  #show(kind, key, parts) {
    const known = `${kind} ${key}`;
    setHidden(this.element, false);
    if (this.#kind === known) return;
    this.#kind = known;
    this.element.dataset.kind = kind;
    this.element.setAttribute('aria-busy', String(kind === 'loading'));
    this.element.replaceChildren(...parts());
  }
}

// Errors of the server are clauses, such as "the server cannot be reached".
export const ended = (clause) => (/[.!?…]$/.test(clause) ? clause : `${clause}.`);

export const sentence = (clause) => ended(clause.charAt(0).toUpperCase() + clause.slice(1));

// A command that can be copied from an empty page.
export function command(text) {
  const code = el('code', { class: 'command' });
  setText(code, text);
  return code;
}
