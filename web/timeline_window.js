// The piece of time that the timeline shows, and whether it follows the clock. Pure.

import { around, endingAt, panned, revealing, SPAN_MAX, SPAN_MIN, spanOf, zoomed } from './timeline_scale.js';

export const SPAN_DEFAULT = 2 * 60_000;
const FIT_MIN = 1_000;

export class TimelineWindow {
  #window = { from: 0, to: SPAN_DEFAULT };
  #follows = true;

  get shown() {
    return this.#window;
  }

  get follows() {
    return this.#follows;
  }

  fromRoute(parameters, now) {
    const span = Number(parameters.span);
    const end = Number(parameters.end);
    const fits = span >= SPAN_MIN && span <= SPAN_MAX;
    this.#follows = !(Number.isFinite(end) && end > 0);
    this.#window = endingAt(this.#follows ? now : end, fits ? span : SPAN_DEFAULT);
  }

  toRoute() {
    const span = Math.round(spanOf(this.#window));
    return { span: span === SPAN_DEFAULT ? null : span, end: this.#follows ? null : Math.round(this.#window.to) };
  }

  advance(now) {
    if (this.#follows) this.#window = endingAt(now, spanOf(this.#window));
  }

  // `fixed` is the moment that stays where it is on the screen. Without one that is the clock, while it is followed, or the
  // middle.
  zoom(factor, fixed, now) {
    if (fixed === null && this.#follows) {
      this.#window = zoomed(this.#window, factor, this.#window.to);
      return;
    }
    const { from, to } = this.#window;
    const inside = Math.min(Math.max(fixed ?? (from + to) / 2, from), to);
    this.show(zoomed(this.#window, factor, inside), now);
  }

  pan(part, now) {
    this.show(panned(this.#window, part * spanOf(this.#window)), now);
  }

  // Whoever moves the window to the present or beyond wants to follow the clock again.
  show(window, now) {
    this.#window = window;
    this.#follows = window.to >= now;
  }

  zoomTo({ from, to }, now) {
    this.show(around(from, to), now);
  }

  // Returns whether it had to move.
  reveal({ from, to }, now) {
    const window = revealing(this.#window, from, to);
    if (window === this.#window) return false;
    this.show(window, now);
    return true;
  }

  setSpan(span, now) {
    this.show(endingAt(this.#follows ? now : this.#window.to, span), now);
  }

  fit(began, now) {
    this.show(endingAt(now, Math.min(Math.max(now - began, FIT_MIN), SPAN_MAX)), now);
  }

  follow(now) {
    this.show(endingAt(now, spanOf(this.#window)), now);
  }
}
