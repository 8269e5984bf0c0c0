// What a view shows while answers come, and when they stop coming.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Loaded } from '../../../web/loaded.js';

// Remembers what was said last, and what is hidden.
function view() {
  const shown = { hidden: false };
  const said = [];
  const notice = {
    loading: (what) => said.push(`loading ${what}`),
    failed: (message) => said.push(`failed: ${message}`),
    outdated: (message, at) => said.push(`of ${at}: ${message}`),
  };
  const loaded = new Loaded({ noun: 'locks', shown, notice });
  const { signal } = new AbortController();
  let rendered = 0;
  return {
    loaded,
    shown,
    said,
    rendered: () => rendered,
    load: (ask, by = signal) => loaded.load(by, ask, () => (rendered += 1)),
  };
}

const away = () => Promise.reject(new Error('the server cannot be reached'));

test('until the first answer it is loading, and nothing is shown', async () => {
  const { loaded, shown, said, load, rendered } = view();
  assert.deepEqual(said, ['loading locks']);
  assert.equal(shown.hidden, true);
  await load(() => Promise.resolve({ at_ms: 5 }));
  assert.deepEqual(loaded.answer, { at_ms: 5 });
  assert.equal(rendered(), 1);
});

test('without an answer an error says why there is nothing', async () => {
  const { load, said, rendered } = view();
  await load(away);
  assert.equal(said.at(-1), 'failed: the server cannot be reached');
  assert.equal(rendered(), 0);
});

test('the last answer stays, with its age, when the next one fails', async () => {
  const { loaded, load, said } = view();
  await load(() => Promise.resolve({ at_ms: 5 }));
  await load(away);
  assert.deepEqual(loaded.answer, { at_ms: 5 });
  assert.equal(said.at(-1), 'of 5: the server cannot be reached');
  loaded.explain('too few nodes answer');
  assert.equal(said.at(-1), 'of 5: the server cannot be reached', 'there is something to see');
});

test('what was given up says nothing', async () => {
  const { load, said } = view();
  const controller = new AbortController();
  controller.abort();
  await load(away, controller.signal);
  assert.deepEqual(said, ['loading locks']);
});

test('what is of another fleet is hidden while it loads', async () => {
  const { loaded, shown, load, said } = view();
  await load(() => Promise.resolve({ at_ms: 5 }));
  shown.hidden = false;
  loaded.wait();
  assert.equal(loaded.answer, null);
  assert.equal(shown.hidden, true);
  assert.equal(said.at(-1), 'loading locks');
});
