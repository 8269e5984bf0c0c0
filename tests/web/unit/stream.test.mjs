import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventStream } from '../../../web/stream.js';

const body = (text) => ({ body: new Blob([text]).stream() });
const event = (type, data, id) =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;

// Answers one connection after another from a script, and ends when `until` says so.
function play(answers, until) {
  return new Promise((resolve) => {
    const seen = { headers: [], events: [], breaks: [] };
    const check = () => {
      if (!until(seen)) return;
      stream.stop();
      resolve(seen);
    };
    const stream = new EventStream({
      open: async (headers) => {
        seen.headers.push(headers);
        const answer = answers[seen.headers.length - 1];
        if (answer instanceof Error) throw answer;
        return answer ?? body('');
      },
      onEvent: (type, data) => {
        seen.events.push({ type, ...data });
        check();
      },
      onBreak: (error) => {
        seen.breaks.push(error.message);
        check();
      },
      random: () => 0,
    });
    stream.start();
  });
}

test('resumes after the last event that has an id', async () => {
  const seen = await play(
    [
      body(event('hello', { id: 4 }) + event('change', { name: 'a' }, 5) + event('look', { error: null })),
      body(event('hello', { id: 6 }) + event('change', { name: 'b' }, 6)),
    ],
    ({ events }) => events.at(-1)?.name === 'b',
  );
  assert.deepEqual(seen.headers, [{}, { 'Last-Event-ID': '5' }]);
  assert.deepEqual(seen.breaks, ['the server ended the event stream']);
});

test('resumes after hello if nothing has changed yet', async () => {
  const seen = await play(
    [body(event('hello', { id: 4 })), body(event('hello', { id: 4 }))],
    ({ events }) => events.length === 2,
  );
  assert.deepEqual(seen.headers[1], { 'Last-Event-ID': '4' });
});

test('says why it broke, and tries again', async () => {
  const seen = await play(
    [new Error('the server cannot be reached'), body(event('hello', { id: 1 }))],
    ({ events }) => events.length === 1,
  );
  assert.deepEqual(seen.breaks, ['the server cannot be reached']);
});

test('what is not JSON breaks the stream, not the page', async () => {
  const seen = await play(
    [body('event: look\ndata: {\n\n'), body(event('hello', { id: 1 }))],
    ({ events }) => events.length === 1,
  );
  assert.deepEqual(seen.breaks, ['the server sent an event that is not JSON']);
});

test('a connection that breaks is told in our own words', async () => {
  const broken = { body: new ReadableStream({ pull: (controller) => controller.error(new TypeError('network error')) }) };
  const seen = await play([broken], ({ breaks }) => breaks.length === 1);
  assert.deepEqual(seen.breaks, ['the connection to the server broke']);
});

test('a server that says nothing any more is told in our own words', async (context) => {
  const timers = [];
  context.mock.method(globalThis, 'setTimeout', (run, ms) => timers.push({ run, ms }));
  const broken = new Promise((resolve) => {
    const stream = new EventStream({
      open: (headers, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
      onEvent: () => {},
      onBreak: (error) => {
        stream.stop();
        resolve(error.message);
      },
    });
    stream.start();
  });
  assert.equal(timers[0].ms, 45_000);
  timers[0].run();
  assert.equal(await broken, 'the server has sent nothing for 45 s');
});
