import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ago, count, countdown, duration, exactDuration, latency, moment, plural, timeOfDay } from '../../../web/format.js';

test('durations are exact where they are short, and readable where they are long', () => {
  const cases = [
    [0, '0 ms'],
    [3.4, '3 ms'],
    [999, '999 ms'],
    [999.6, '1.00 s'],
    [3214, '3.21 s'],
    [9999, '10.0 s'],
    [42_130, '42.1 s'],
    [59_999, '1 min 00 s'],
    [125_000, '2 min 05 s'],
    [3_599_999, '1 h 00 min'],
    [11_520_000, '3 h 12 min'],
    [356_400_000, '4 d 3 h'],
    [-1500, '−1.50 s'],
  ];
  for (const [ms, text] of cases) assert.equal(duration(ms), text);
});

test('exact durations keep every millisecond', () => {
  assert.equal(exactDuration(7), '7 ms');
  assert.equal(exactDuration(3007), '3.007 s');
  assert.equal(exactDuration(62_003), '1 min 2.003 s');
  assert.equal(exactDuration(90_061_001), '1 d 1 h 1 min 1.001 s');
});

test('a countdown never shows more than is left', () => {
  assert.equal(countdown(2999), '2.9 s');
  assert.equal(countdown(0), '0.0 s');
  assert.equal(countdown(-5), '0.0 s');
});

test('ages', () => {
  assert.equal(ago(400), 'just now');
  assert.equal(ago(59_999), '59 s ago');
  assert.equal(ago(7_200_000), '2 h ago');
});

test('times of day have milliseconds, and a date where it is not today', () => {
  const at = new Date(2026, 10, 18, 9, 5, 3, 7).getTime();
  assert.equal(timeOfDay(at), '09:05:03.007');
  assert.equal(moment(at, at + 1000), '09:05:03.007');
  assert.equal(moment(at, at + 86_400_000), '2026-11-18 09:05:03.007');
});

test('counts, plurals and latencies', () => {
  assert.equal(count(10_000), '10,000');
  assert.equal(plural(1, 'session'), '1 session');
  assert.equal(plural(0, 'session'), '0 sessions');
  assert.equal(latency(0.84), '0.8 ms');
  assert.equal(latency(842), '842 ms');
  assert.equal(latency(4000), '4.00 s');
});
