import assert from 'node:assert/strict';
import { test } from 'node:test';
import { query } from '../../../web/api.js';
import { exactness, matches } from '../../../web/events.js';
import { timeLeft } from '../../../web/leases.js';
import { balanceText, instanceDetail } from '../../../web/overview_fleet.js';
import { facts } from '../../../web/overview_nodes.js';
import { formatRoute, pageOf, parseRoute } from '../../../web/route.js';
import { nextDue, outcome } from '../../../web/sessions.js';
import { sparklineLabel, sparklinePaths } from '../../../web/sparkline.js';
import { staleText } from '../../../web/status_bar.js';
import { describe, spoken } from '../../../web/timeline_details.js';
import { laneItems } from '../../../web/timeline_marks.js';

const session = {
  paused: false,
  owner: 'web-1',
  state: 'held',
  due_ms: 5000,
  result: { ok: true, error: '', at_ms: 1000, took_ms: 3, token: 1 },
};

test('a route survives being written and read', () => {
  const route = { view: 'sessions', parameters: { q: 'a&b=c #?', sort: 'latency', page: '3' } };
  assert.deepEqual(parseRoute(formatRoute(route)), route);
  assert.equal(formatRoute({ view: 'locks', parameters: { q: '', page: null } }), '#locks');
});

test('nonsense in the address leads to the overview and to the first page', () => {
  assert.equal(parseRoute('#<script>').view, 'overview');
  assert.equal(parseRoute('#constructor?x=1').view, 'overview');
  for (const page of ['0', '-1', 'x', '1.5', '1e30', undefined]) assert.equal(pageOf({ page }), 1);
});

test('what is not given is not asked for', () => {
  assert.equal(query({ fleet: undefined, search: '', limit: 100, kind: null }), '?limit=100');
  assert.equal(query({}), '');
});

test('outcomes of sessions', () => {
  assert.equal(outcome(session, 2000).text, 'ok');
  assert.equal(outcome({ ...session, paused: true }, 2000).text, 'paused');
  assert.equal(outcome({ ...session, state: 'perhaps' }, 2000).text, 'ok');
  for (const state of ['free', 'kept', 'broken', 'foreign'])
    assert.deepEqual(outcome({ ...session, state }, 2000), { level: 'bad', text: 'unowned', when: '1 s ago', error: '' });
  assert.equal(outcome({ ...session, state: 'free', paused: true }, 2000).text, 'paused');
  assert.equal(outcome({ ...session, result: null }, 2000).text, 'not polled yet');
  const failed = outcome({ ...session, result: { ...session.result, ok: false, error: 'HTTP 503' } }, 4000);
  assert.deepEqual(failed, { level: 'bad', text: 'failed', when: '3 s ago', error: 'HTTP 503' });
});

test('when the next poll is due', () => {
  assert.equal(nextDue(session, 2000), 'in 3.0 s');
  assert.equal(nextDue(session, 5500), 'now');
  assert.equal(nextDue(session, 10_000), 'late by 5.00 s');
  assert.equal(nextDue({ ...session, due_ms: null }, 0), '–');
});

test('what is left of a lease counts from the answer', () => {
  assert.equal(timeLeft({ owner: 'a', left_ms: 3000, at_ms: 1000 }, 2500), '1.5 s');
  assert.equal(timeLeft({ owner: 'a', left_ms: null, state: 'foreign', at_ms: 0 }, 0), 'no expiry');
  assert.equal(timeLeft({ owner: null, left_ms: null, at_ms: 0 }, 0), '–');
});

test('a sparkline breaks where polls failed', () => {
  const { line, failures } = sparklinePaths([10, 20, -1, 15]);
  assert.equal(line.match(/M/g).length, 2);
  assert.equal(failures.match(/M/g).length, 1);
  assert.doesNotMatch(line + failures, /NaN|Infinity/);
  assert.deepEqual(sparklinePaths([]), { line: '', failures: '' });
  assert.equal(sparklineLabel([10, 20, -1]), 'last 3 polls: 10 ms to 20 ms, 1 failed');
  assert.equal(sparklineLabel([]), 'no polls seen yet');
});

test('nodes, instances and balance in words', () => {
  const node = { version: 'Redis 7.2.4', role: 'master', round_trip_us: 180, clock_ahead_ms: -14, record: 'open' };
  assert.equal(facts(node), 'Redis 7.2.4 · master · round trip 180 µs · clock 14 ms behind');
  assert.equal(facts({ version: null, role: null, round_trip_us: null, clock_ahead_ms: null, record: null }), '');
  const instance = { share: 3.333, weight: 2, owned: 3, says_owned: 4, started_ms: 0, left_ms: 2000 };
  assert.equal(
    instanceDetail(instance, 60_000, 61_000),
    'share 3.33 · weight 2 · says that it owns 4 · started 1 min ago · heartbeat lasts 1.0 s',
  );
  assert.equal(balanceText({ balance: null, instances: [] }), 'no instance runs');
  assert.match(balanceText({ balance: { within_one: false, most: 5, fewest: 2 }, instances: [1] }), /uneven: from 2 to 5/);
});

test('changes can be searched, and say how exact they are', () => {
  const change = { kind: 'session', name: 'Shop', owner: 'web-2', was: null, at_ms: 1000, at_min_ms: 750 };
  assert.ok(
    matches(change, '', 'shop') &&
      matches(change, 'session', 'WEB') &&
      !matches(change, 'lock', '') &&
      !matches(change, '', 'x'),
  );
  assert.equal(exactness(change), 'at most 250 ms earlier');
  assert.ok(matches({ kind: 'many', count: 9 }, '', ''));
});

test('a stale page says since when, and why', () => {
  const at = new Date(2026, 10, 18, 9, 5, 3, 7).getTime();
  assert.equal(
    staleText(at, 'too few nodes answer', at + 14_000),
    'Stale since 09:05:03.007 (14 s ago): too few nodes answer. Nothing below is newer than that.',
  );
  assert.equal(staleText(null, 'too few nodes answer', at), 'Nothing has been seen yet: too few nodes answer.');
});

test('the details of the timeline say how exact each time is', () => {
  const at = new Date(2026, 10, 18, 9, 5, 3, 0).getTime();
  const spans = [
    { owner: 'a', token: 7, from_ms: at, from_min_ms: at, to_ms: at + 1000, to_min_ms: at + 750 },
    { owner: 'b', token: 8, from_ms: at + 1300, from_min_ms: at + 1050, to_ms: null, to_min_ms: null },
  ];
  const [a, gap, b] = laneItems(spans, at, at + 2000).map((item) =>
    Object.fromEntries(describe(item, 'shop', at + 2000).facts),
  );
  assert.equal(a.From, '09:05:03.000, exact');
  assert.equal(a.To, '09:05:04.000, last seen 09:05:03.750');
  assert.equal(gap.Length, '300 ms, between 50 ms and 550 ms');
  assert.equal(b.From, '09:05:04.300, at most 250 ms earlier');
  assert.equal(b.To, 'still');
  assert.match(
    spoken(describe(laneItems(spans, at, at + 2000)[0], 'shop', at + 2000)),
    /^shop: a\. Owner: a\. Token: 7\. From: /,
  );
});
