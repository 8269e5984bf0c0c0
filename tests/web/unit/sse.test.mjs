import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SseParser } from '../../../web/sse.js';

const parse = (...pieces) => {
  const parser = new SseParser();
  return pieces.flatMap((piece) => parser.push(piece));
};

test('an event has a type, data and an id', () => {
  assert.deepEqual(parse('id: 7\nevent: change\ndata: {"a": 1}\n\n'), [{ type: 'change', data: '{"a": 1}', id: '7' }]);
});

test('where the pieces are cut does not matter', () => {
  const text = '\ufeffid: 1\r\nevent: look\r\ndata: a\r\ndata: b\r\n\r\n: comment\r\rdata: c\n\n';
  const whole = parse(text);
  assert.deepEqual(
    whole.map(({ data }) => data),
    ['a\nb', 'c'],
  );
  for (let cut = 0; cut <= text.length; cut += 1)
    assert.deepEqual(parse(text.slice(0, cut), text.slice(cut)), whole, `cut at ${cut}`);
  assert.deepEqual(parse(...text), whole);
});

test('an event that is not complete does not count, nor does its id', () => {
  const parser = new SseParser();
  assert.deepEqual(parser.push('id: 1\ndata: x\n\nid: 2\ndata: y\n').length, 1);
  assert.equal(parser.lastEventId, '1');
});

test('the id stays until another one comes', () => {
  assert.deepEqual(
    parse('id: 3\ndata: a\n\ndata: b\n\n').map(({ id }) => id),
    ['3', '3'],
  );
});

test('an id with a NUL is ignored, and so are unknown fields', () => {
  assert.deepEqual(parse('id: 1\0\nretry: 10\nfoo\ndata: a\n\n'), [{ type: 'message', data: 'a', id: '' }]);
});

test('only the first space after the colon is left out', () => {
  assert.deepEqual(
    parse('data:  a\n\ndata:b\n\n').map(({ data }) => data),
    [' a', 'b'],
  );
});

test('an event without an end does not fill the memory', () => {
  const parser = new SseParser();
  assert.throws(() => {
    for (let i = 0; i < 100; i += 1) parser.push(`data: ${'x'.repeat(50_000)}\n`);
  }, /without an end/);
});
