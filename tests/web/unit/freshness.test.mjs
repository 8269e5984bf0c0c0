import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Freshness } from '../../../web/freshness.js';
import { ServerClock } from '../../../web/clock.js';

const look = (at, error = null) => ({ at_ms: at, next_ms: at + 500, error });

test('a page is live while looks arrive in time', () => {
  const freshness = new Freshness();
  assert.equal(freshness.at(0).level, 'connecting');
  freshness.onHello();
  freshness.onLook(look(1000));
  assert.equal(freshness.at(1400).level, 'live');
});

test('a look that does not come makes it stale, since the last one', () => {
  const freshness = new Freshness();
  freshness.onHello();
  freshness.onLook(look(1000));
  const why = "the server's next look at the nodes is overdue";
  assert.deepEqual(freshness.at(9000), { level: 'stale', since: 1000, why });
});

test('a look that saw nothing makes it stale, and says why', () => {
  const freshness = new Freshness();
  freshness.onHello();
  freshness.onLook(look(1000));
  freshness.onLook(look(1500, 'too few nodes answer'));
  assert.deepEqual(freshness.at(1600), { level: 'stale', since: 1000, why: 'too few nodes answer' });
  freshness.onLook(look(2000));
  assert.equal(freshness.at(2100).level, 'live');
});

test('a stream that breaks makes it stale until it is back', () => {
  const freshness = new Freshness();
  freshness.onHello();
  freshness.onLook(look(1000));
  freshness.onBreak(new Error('the server cannot be reached'));
  assert.equal(freshness.at(1100).level, 'stale');
  freshness.onHello();
  freshness.onLook(look(1200));
  assert.equal(freshness.at(1300).level, 'live');
});

test('a stream that is back is not live before its first look', () => {
  const freshness = new Freshness();
  freshness.onHello();
  assert.equal(freshness.at(500).level, 'connecting');
  freshness.onLook(look(1000));
  freshness.onLook(look(1500, 'too few nodes answer'));
  freshness.onBreak(new Error('the server cannot be reached'));
  freshness.onHello();
  const { level, since, why } = freshness.at(1600);
  assert.deepEqual([level, since], ['stale', 1000]);
  assert.match(why, /has not looked at the nodes since/);
});

test('where there is no room for another stream, answers keep it current', () => {
  const freshness = new Freshness();
  freshness.onBreak(Object.assign(new Error('too many viewers'), { status: 503 }));
  freshness.onAnswer(1000);
  assert.equal(freshness.at(2000).level, 'polling');
  assert.equal(freshness.at(60_000).level, 'stale');
});

test('the clock trusts the message that was under way for the shortest time', () => {
  let local = 0;
  const clock = new ServerClock(() => local);
  clock.sample(1_000_000 - 300);
  clock.sample(1_000_000 - 20);
  clock.sample(1_000_000 - 500);
  local = 100;
  assert.equal(clock.now(), 1_000_080);
});

test('the clock follows a server whose clock was set back', () => {
  let local = 0;
  const clock = new ServerClock(() => local);
  clock.sample(1_000_000);
  for (local = 1; local <= 30; local += 1) clock.sample(500_000 + local);
  assert.equal(clock.now(), 500_031);
});
