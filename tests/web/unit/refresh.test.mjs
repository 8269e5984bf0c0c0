import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refresher } from '../../../web/refresh.js';

const settled = () => new Promise((resolve) => setImmediate(resolve));

// A refresher whose requests end, and whose timer fires, when the test says so.
function start(context) {
  let due = null;
  context.mock.method(globalThis, 'setTimeout', (run) => {
    due = run;
  });
  context.mock.method(globalThis, 'clearTimeout', () => {
    due = null;
  });
  const requests = [];
  const refresher = new Refresher((signal) => {
    const request = { signal };
    request.ended = new Promise((resolve) => {
      request.end = resolve;
    });
    requests.push(request);
    return request.ended;
  }, 0);
  const tick = () => {
    const run = due;
    due = null;
    run?.();
  };
  return { refresher, requests, tick };
}

test('what may have changed waits for the request that is under way, however often it is said', async (context) => {
  const { refresher, requests, tick } = start(context);
  refresher.soon();
  tick();
  for (let i = 0; i < 5; i += 1) {
    refresher.soon();
    tick();
  }
  assert.equal(requests.length, 1);
  assert.ok(!requests[0].signal.aborted);
  requests[0].end();
  await settled();
  tick();
  assert.equal(requests.length, 2);
});

test('another question ends the request that is under way', (context) => {
  const { refresher, requests, tick } = start(context);
  refresher.now();
  tick();
  refresher.now();
  tick();
  assert.deepEqual(
    requests.map(({ signal }) => signal.aborted),
    [true, false],
  );
});
