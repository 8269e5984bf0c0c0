import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Api, isToken, storedToken, storeToken } from '../../../web/api.js';

const stored = new Map();
globalThis.sessionStorage = {
  getItem: (name) => stored.get(name) ?? null,
  setItem: (name, value) => stored.set(name, value),
  removeItem: (name) => stored.delete(name),
};
// Node 18 has none yet.
AbortSignal.any ??= (signals) => signals.find(({ aborted }) => aborted) ?? signals[0];

const get = (context, fetch, signal) => {
  context.mock.method(globalThis, 'fetch', fetch);
  return new Api(() => {}).get('sessions', {}, signal);
};
const answer = (json) => async () => ({ ok: true, json });
const failing = (name) => async () => {
  throw new DOMException('words of the browser', name);
};

test('a token is what a header can carry', () => {
  assert.ok(isToken('0123-abc~!'));
  for (const text of ['', 'two words', 'ключ', 'a\nb', 'é', '\u007f']) assert.ok(!isToken(text), text);
});

test('a stored token that no header can carry counts as none', () => {
  storeToken('ключ');
  assert.equal(storedToken(), null);
  storeToken('abc');
  assert.equal(storedToken(), 'abc');
});

test('an answer that is cut off is not said to be no JSON', async (context) => {
  await assert.rejects(get(context, answer(failing('SyntaxError'))), { message: /not JSON/ });
  await assert.rejects(get(context, answer(failing('TimeoutError'))), { message: 'the server did not finish its answer' });
  await assert.rejects(get(context, answer(failing('NetworkError'))), { message: 'the connection to the server broke' });
});

test('a server that is away is told in our own words', async (context) => {
  await assert.rejects(get(context, failing('TimeoutError')), { message: 'the server does not answer' });
  await assert.rejects(get(context, failing('NetworkError')), { message: 'the server cannot be reached' });
});

test('whoever ends a request gets the own reason back', async (context) => {
  const own = new Error('another view was opened');
  const fetch = async (url, { signal }) => {
    throw signal.reason;
  };
  await assert.rejects(get(context, fetch, AbortSignal.abort(own)), own);
});
