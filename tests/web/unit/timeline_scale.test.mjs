import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  around,
  panned,
  revealing,
  SPAN_MAX,
  SPAN_MIN,
  spanOf,
  ticks,
  toTime,
  toX,
  zoomed,
} from '../../../web/timeline_scale.js';

const NOW = 1_794_759_537_144;
const window = { from: NOW - 1000, to: NOW };

test('a moment and its place are the inverse of each other, to a hundredth of a millisecond', () => {
  for (const x of [0, 1, 333.25, 900]) assert.ok(Math.abs(toX(toTime(x, window, 900), window, 900) - x) < 0.3);
  assert.equal(toX(NOW - 500, window, 900), 450);
});

test('a millisecond has its own place in the narrowest window', () => {
  const narrow = { from: NOW, to: NOW + SPAN_MIN };
  assert.equal(toX(NOW + 3, narrow, 1000) - toX(NOW + 2, narrow, 1000), 100);
});

test('zooming keeps the chosen moment where it is', () => {
  const at = NOW - 250;
  const closer = zoomed(window, 0.5, at);
  assert.equal(spanOf(closer), 500);
  assert.ok(Math.abs(toX(at, closer, 900) - toX(at, window, 900)) < 0.01);
});

test('zooming ends at ten milliseconds and at thirty days', () => {
  assert.equal(spanOf(zoomed(window, 1e-9, NOW)), SPAN_MIN);
  assert.ok(Math.abs(spanOf(zoomed(window, 1e12, NOW)) - SPAN_MAX) < 1);
});

test('panning does not change the length', () => {
  assert.deepEqual(panned(window, -400), { from: NOW - 1400, to: NOW - 400 });
});

test('zooming to a piece leaves room on both sides', () => {
  const shown = around(NOW - 100, NOW);
  assert.ok(shown.from < NOW - 100 && shown.to > NOW);
});

test('what can be seen already does not move the window', () => {
  assert.equal(revealing(window, NOW - 600, NOW - 400), window);
  const earlier = revealing(window, NOW - 5000, NOW - 4900);
  assert.ok(earlier.from < NOW - 5000 && earlier.to > NOW - 4900 && spanOf(earlier) === 1000);
  const later = revealing(window, NOW + 5000, NOW + 5100);
  assert.ok(later.from < NOW + 5000 && later.to > NOW + 5100);
});

test('ticks are on round times, in the window, and far enough apart', () => {
  for (const span of [10, 137, 1000, 60_000, 3_600_000, 86_400_000, SPAN_MAX]) {
    const shown = { from: NOW - span, to: NOW };
    const found = ticks(shown, 900);
    assert.ok(found.length >= 1 && found.length <= 11, `${span}: ${found.length} ticks`);
    for (const { at } of found) assert.ok(at >= shown.from && at <= shown.to);
    for (let i = 1; i < found.length; i += 1) assert.ok(toX(found[i].at - found[i - 1].at + shown.from, shown, 900) >= 89.9);
  }
});

test('labels of ticks show milliseconds only where they differ in them', () => {
  assert.match(ticks({ from: NOW - 100, to: NOW }, 900)[0].label, /^\d\d:\d\d:\d\d\.\d{3}$/);
  assert.match(ticks({ from: NOW - 60_000, to: NOW }, 900)[0].label, /^\d\d:\d\d:\d\d$/);
  assert.match(ticks({ from: NOW - 3_600_000, to: NOW }, 900)[0].label, /^\d\d:\d\d$/);
});
