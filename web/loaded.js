// What a view has last been answered: it stays on the screen while later questions fail, with a note how old it is.

import { setHidden } from './dom.js';
import { Notice } from './notice.js';

export class Loaded {
  // Null until there is one.
  answer = null;
  notice;
  #noun;
  #shown;

  // `noun` says what is loading; `shown` is the element that is hidden until it is there; `onRetry` is for who does not want to wait.
  constructor({ noun, shown, onRetry, notice = new Notice(onRetry) }) {
    this.#noun = noun;
    this.#shown = shown;
    this.notice = notice;
    this.wait();
  }

  // What was there before must not be taken for what is loading now.
  wait() {
    this.answer = null;
    setHidden(this.#shown, true);
    this.notice.loading(this.#noun);
  }

  // `ask` gives the answer, with the time at_ms; `render` shows it.
  async load(signal, ask, render) {
    try {
      this.answer = await ask();
      render();
    } catch (error) {
      if (signal.aborted) return;
      if (this.answer === null) this.explain(error.message);
      else this.notice.outdated(error.message, this.answer.at_ms);
    }
  }

  // Says why there is nothing to see, if there is nothing.
  explain(message) {
    if (this.answer === null) this.notice.failed(message);
  }
}
