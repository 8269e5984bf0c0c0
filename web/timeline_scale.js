// The maths of the time axis: where a moment is drawn, what zooming and panning make of the window, and where the ticks are.
// Pure.
//
// A window is {from, to}, in milliseconds since 1970. Differences are taken before anything is scaled: pixels of a window of
// ten milliseconds need all the digits that such numbers have.

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const SPAN_MIN = 10;
export const SPAN_MAX = 30 * DAY;

const STEPS = [
  1,
  2,
  5,
  10,
  20,
  50,
  100,
  200,
  500,
  SECOND,
  2 * SECOND,
  5 * SECOND,
  10 * SECOND,
  15 * SECOND,
  30 * SECOND,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  7 * DAY,
  14 * DAY,
];

export const spanOf = (window) => window.to - window.from;

export const toX = (time, window, width) => ((time - window.from) / spanOf(window)) * width;

export const toTime = (x, window, width) => window.from + (x / width) * spanOf(window);

// Makes the window `factor` times as long. The moment `around` stays where it is on the screen.
export function zoomed(window, factor, around) {
  const span = Math.min(Math.max(spanOf(window) * factor, SPAN_MIN), SPAN_MAX);
  const part = (around - window.from) / spanOf(window);
  const from = around - part * span;
  return { from, to: from + span };
}

export const panned = (window, ms) => ({ from: window.from + ms, to: window.to + ms });

export const endingAt = (to, span) => ({ from: to - span, to });

// Shows a piece of time with some room on both sides.
export function around(from, to) {
  const middle = (from + to) / 2;
  const span = Math.min(Math.max((to - from) * 1.5, SPAN_MIN), SPAN_MAX);
  return { from: middle - span / 2, to: middle + span / 2 };
}

// Moves the window as little as possible, so that a piece of time can be seen; its beginning if it is longer than the
// window.
export function revealing(window, from, to) {
  const margin = spanOf(window) * 0.1;
  if (from < window.to - margin && to > window.from + margin) return window;
  const fits = to - from <= spanOf(window) - 2 * margin;
  const start = from >= window.to - margin && fits ? to + margin - spanOf(window) : from - margin;
  return { from: start, to: start + spanOf(window) };
}

const two = (number) => String(number).padStart(2, '0');

function label(at, step) {
  const date = new Date(at);
  if (step >= DAY) return `${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const minutes = `${two(date.getHours())}:${two(date.getMinutes())}`;
  if (step >= MINUTE) return minutes;
  const seconds = `${minutes}:${two(date.getSeconds())}`;
  return step >= SECOND ? seconds : `${seconds}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

// Ticks on round times of the viewer's time zone, at least `apart` pixels from each other.
export function ticks(window, width, apart = 90) {
  if (width <= 0) return [];
  const least = (apart / width) * spanOf(window);
  const step = STEPS.find((candidate) => candidate >= least) ?? STEPS.at(-1);
  const zone = -new Date(window.from).getTimezoneOffset() * MINUTE;
  const result = [];
  for (let at = Math.ceil((window.from + zone) / step) * step - zone; at <= window.to; at += step) {
    result.push({ at, label: label(at, step) });
  }
  return result;
}
