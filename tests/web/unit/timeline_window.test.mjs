import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Selection } from '../../../web/timeline_selection.js';
import { SPAN_DEFAULT, TimelineWindow } from '../../../web/timeline_window.js';

const NOW = 1_794_759_537_144;

function shown(parameters) {
  const window = new TimelineWindow();
  window.fromRoute(parameters, NOW);
  return window;
}

test('a route without a window follows the clock', () => {
  const window = shown({});
  assert.ok(window.follows);
  window.advance(NOW + 500);
  assert.deepEqual(window.shown, { from: NOW + 500 - SPAN_DEFAULT, to: NOW + 500 });
  assert.deepEqual(window.toRoute(), { span: null, end: null });
});

test('a route can name a piece of the past, and says it again', () => {
  const window = shown({ span: '5000', end: String(NOW - 60_000) });
  assert.ok(!window.follows);
  window.advance(NOW + 500);
  assert.deepEqual(window.toRoute(), { span: 5000, end: NOW - 60_000 });
});

test('nonsense in a route is ignored', () => {
  for (const span of ['x', '-5', '1e99', ''])
    assert.deepEqual(shown({ span, end: 'y' }).toRoute(), { span: null, end: null });
});

test('zooming while it follows keeps following', () => {
  const window = shown({});
  window.zoom(0.5, null, NOW);
  assert.ok(window.follows);
  assert.equal(window.shown.to, NOW);
  window.zoom(0.5, NOW - 30_000, NOW);
  assert.ok(!window.follows);
});

test('panning back stops following, panning to the present resumes it', () => {
  const window = shown({});
  window.pan(-0.5, NOW);
  assert.ok(!window.follows);
  window.pan(0.6, NOW);
  assert.ok(window.follows);
});

const LANES = [
  [
    { key: 'a', from: 0, to: 10 },
    { key: 'b', from: 10, to: 20 },
    { key: 'c', from: 20, to: 30 },
  ],
  [
    { key: 'd', from: 0, to: 15 },
    { key: 'e', from: 15, to: 30 },
  ],
];
const lanes = { keys: ['lane 1', 'lane 2'], items: (index) => LANES[index] };
const keyOf = (selection) => selection.get(lanes)?.item.key;

test('the arrow keys walk through a lane, and to the same time in the next', () => {
  const selection = new Selection();
  assert.equal(selection.get(lanes), null);
  const steps = [
    [0, 0, 'c'],
    [0, -1, 'b'],
    [1, 0, 'e'],
    [0, -1, 'd'],
    [-1, 0, 'b'],
    [0, -5, 'a'],
    [0, -1, 'a'],
    [10, 0, 'd'],
  ];
  for (const [down, right, key] of steps) {
    selection.move({ lanes: down, items: right }, lanes, 30);
    assert.equal(keyOf(selection), key);
  }
  selection.toEdge(false, lanes);
  assert.equal(keyOf(selection), 'e');
});

test('a piece that is gone gives way to the newest one of its lane', () => {
  const selection = new Selection();
  selection.set('lane 2', { key: 'gone' });
  assert.equal(keyOf(selection), 'e');
});

test('the selection stays in its lane when lanes before it go, and ends with it', () => {
  const selection = new Selection();
  selection.set('lane 2', { key: 'd' });
  const searched = { keys: ['lane 2'], items: () => LANES[1] };
  assert.deepEqual(selection.get(searched), { lane: 0, item: LANES[1][0] });
  const others = { keys: ['lane 1'], items: () => LANES[0] };
  assert.equal(selection.get(others), null);
  selection.toEdge(true, others);
  assert.deepEqual(selection.get(others), { lane: 0, item: LANES[0][0] });
});

test('without lanes the keyboard does nothing', () => {
  const selection = new Selection();
  const none = { keys: [], items: () => assert.fail('there is no lane to ask') };
  selection.move({ lanes: 1, items: 0 }, none, 30);
  selection.toEdge(true, none);
  assert.equal(selection.get(none), null);
});
