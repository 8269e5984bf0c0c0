// The last latencies of a session as a small line. Polls that failed are bars over the whole height, in a colour of their
// own.

import { setAttribute, svg } from './dom.js';
import { latency, plural } from './format.js';

const WIDTH = 92;
const HEIGHT = 20;
const POINTS = 30;

// The pieces of the line between failures, and where the failures are. Pure.
export function sparklinePaths(latencies) {
  const shown = latencies.slice(-POINTS);
  const most = Math.max(1, ...shown);
  const step = (WIDTH - 4) / (POINTS - 1);
  // The newest point is always at the right edge.
  const left = 2 + (POINTS - shown.length) * step;
  const x = (index) => (left + index * step).toFixed(1);
  const y = (value) => (HEIGHT - 2 - (value / most) * (HEIGHT - 4)).toFixed(1);
  let line = '';
  let failures = '';
  shown.forEach((value, index) => {
    if (value < 0) {
      failures += `M${x(index)} 2V${HEIGHT - 2}`;
    } else {
      const joins = index > 0 && shown[index - 1] >= 0;
      // A single point between failures still has to be seen: a line to itself is drawn as a dot by its round caps.
      line += `${joins ? 'L' : 'M'}${x(index)} ${y(value)}${joins ? '' : `L${x(index)} ${y(value)}`}`;
    }
  });
  return { line, failures };
}

export function sparklineLabel(latencies) {
  const shown = latencies.slice(-POINTS);
  const good = shown.filter((value) => value >= 0);
  const failed = shown.length - good.length;
  if (shown.length === 0) return 'no polls seen yet';
  if (good.length === 0) return `the last ${plural(failed, 'poll')} failed`;
  const range = `${latency(Math.min(...good))} to ${latency(Math.max(...good))}`;
  return `last ${plural(shown.length, 'poll')}: ${range}, ${failed} failed`;
}

export class Sparkline {
  #line = svg('path', { class: 'spark-line' });
  #failures = svg('path', { class: 'spark-failures' });
  element = svg(
    'svg',
    { class: 'spark', role: 'img', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT },
    this.#failures,
    this.#line,
  );
  #shown = null;

  update(latencies) {
    const key = latencies.join(' ');
    if (this.#shown === key) return;
    this.#shown = key;
    const { line, failures } = sparklinePaths(latencies);
    setAttribute(this.#line, 'd', line);
    setAttribute(this.#failures, 'd', failures);
    setAttribute(this.element, 'aria-label', sparklineLabel(latencies));
  }
}
