import assert from 'node:assert/strict';
import { test } from 'node:test';
import { itemAt, laneItems, marksOf } from '../../../web/timeline_marks.js';

const span = (owner, from, to, { token = from, early = 0, late = 0 } = {}) => ({
  owner,
  token,
  from_ms: from,
  from_min_ms: from - early,
  to_ms: to,
  to_min_ms: to === null ? null : to - late,
});
const types = (items) => items.map(({ type, from, to }) => [type, from, to]);

test('between two owners there is a gap, to the millisecond', () => {
  const items = laneItems([span('a', 0, 1000, { late: 200 }), span('b', 1300, null, { early: 100 })], 0, 2000);
  assert.deepEqual(types(items), [
    ['span', 0, 1000],
    ['gap', 1000, 1300],
    ['span', 1300, 2000],
  ]);
  const gap = items[1];
  assert.deepEqual([gap.before, gap.after, gap.least, gap.most], ['a', 'b', 200, 500]);
});

test('an owner cannot have had it longer than until the next one began', () => {
  const items = laneItems([span('a', 0, 1000, { late: 300 }), span('b', 900, null)], 0, 2000);
  assert.deepEqual(types(items), [
    ['span', 0, 900],
    ['span', 900, 2000],
  ]);
  assert.equal(items[0].toMin, 700);
});

test('nobody has it before the first span, and after the last that ended', () => {
  const items = laneItems([span('a', 500, 1000)], 100, 2000);
  assert.deepEqual(types(items), [
    ['gap', 100, 500],
    ['span', 500, 1000],
    ['gap', 1000, 2000],
  ]);
  assert.ok(items[0].openStart);
  assert.ok(items[2].lasts);
});

test('a lane that never had an owner is one gap', () => {
  assert.deepEqual(types(laneItems([], 100, 2000)), [['gap', 100, 2000]]);
});

test('a span that was there before the recording has no gap before it', () => {
  assert.deepEqual(types(laneItems([span('a', 50, null)], 100, 2000)), [['span', 50, 2000]]);
});

test('before an owner that was there when the record began nothing is known', () => {
  const first = { ...span('a', 500, 1000), from_min_ms: null };
  assert.deepEqual(types(laneItems([first], 100, 2000)), [
    ['span', 500, 1000],
    ['gap', 1000, 2000],
  ]);
});

test('keys stay when a later answer knows the times better', () => {
  const [before] = laneItems([span('a', 500, null, { token: 9 })], 500, 2000);
  const [, after] = laneItems([span('a', 490, null, { token: 9 })], 400, 2000);
  assert.equal(before.key, after.key);
});

test('only what is in the window is drawn', () => {
  const items = laneItems([span('a', 0, 1000), span('b', 1000, 2000), span('c', 2000, null)], 0, 9000);
  const marks = marksOf(items, { from: 1200, to: 1800 }, 600);
  assert.deepEqual(
    marks.map(({ item }) => item.owner),
    ['b'],
  );
  assert.deepEqual([marks[0].x, marks[0].end], [-200, 800]);
});

test('thousands of short spans become few marks', () => {
  const spans = Array.from({ length: 5000 }, (_, i) => span(`o${i % 3}`, i * 10, i * 10 + 10));
  const marks = marksOf(laneItems(spans, 0, 50_000), { from: 0, to: 50_000 }, 600);
  assert.ok(marks.length <= 300, String(marks.length));
  assert.equal(
    marks.reduce((sum, { count }) => sum + count, 0),
    5000,
  );
});

test('marks that are drawn have keys of their own', () => {
  const spans = Array.from({ length: 50 }, (_, i) => span('a', i * 10, i * 10 + 10));
  const marks = marksOf(laneItems(spans, 0, 500), { from: 0, to: 500 }, 100);
  assert.equal(new Set(marks.map(({ key }) => key)).size, marks.length);
});

test('a small piece can be hit beside the large one next to it', () => {
  const items = laneItems([span('a', 0, 1000), span('b', 1002, null)], 0, 2000);
  assert.equal(itemAt(items, 998, 5).type, 'gap');
  assert.equal(itemAt(items, 500, 5).owner, 'a');
  assert.equal(itemAt(items, 9000, 5), null);
});
