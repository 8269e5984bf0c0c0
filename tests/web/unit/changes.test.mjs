import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Changes, withChange } from '../../../web/changes.js';

const change = (name, owner, at, token = at) => ({
  kind: 'session',
  name,
  owner,
  token: owner === null ? null : token,
  was: null,
  at_ms: at,
  at_min_ms: at - 200,
});
const row = (id, owner) => ({ id, owner, token: 1, state: 'held', left_ms: 3000 });

test('an answer that is older than a change shows the new owner', () => {
  const changes = new Changes();
  changes.add(change('a', null, 1000));
  changes.add(change('a', 'web-2', 1100));
  const [a, b] = changes.applyToRows('session', [row('a', 'web-1'), row('b', 'web-1')], 900, ({ id }) => id);
  assert.deepEqual([a.owner, a.token, a.state], ['web-2', 1100, 'held']);
  assert.equal(b.owner, 'web-1');
});

test('an answer that is newer is not touched', () => {
  const changes = new Changes();
  changes.add(change('a', 'web-2', 1000));
  const rows = [row('a', 'web-3')];
  assert.equal(
    changes.applyToRows('session', rows, 1000, ({ id }) => id),
    rows,
  );
});

test('other kinds of the same name are not touched', () => {
  const changes = new Changes();
  changes.add(change('a', 'web-2', 1000));
  assert.equal(changes.applyToRows('lock', [row('a', 'web-1')], 0, ({ id }) => id)[0].owner, 'web-1');
});

test('a change ends a span and begins the next', () => {
  const spans = [{ owner: 'web-1', token: 1, from_ms: 0, from_min_ms: 0, to_ms: null, to_min_ms: null }];
  const gone = withChange(spans, change('a', null, 1000));
  assert.deepEqual([gone[0].to_ms, gone[0].to_min_ms, gone.length], [1000, 800, 1]);
  const taken = withChange(gone, change('a', 'web-2', 1300));
  assert.deepEqual([taken[1].owner, taken[1].from_ms, taken[1].from_min_ms, taken[1].to_ms], ['web-2', 1300, 1100, null]);
});

test('a change that is known already changes nothing', () => {
  const spans = [{ owner: 'web-1', token: 5, from_ms: 0, from_min_ms: 0, to_ms: null, to_min_ms: null }];
  assert.equal(withChange(spans, change('a', 'web-1', 100, 5)), spans);
});

test('the list is bounded', () => {
  const changes = new Changes();
  for (let i = 0; i < 5000; i += 1) changes.add(change('a', 'web-1', i));
  assert.equal(changes.list.length, 300);
  assert.equal(changes.list[0].at_ms, 4999);
});
