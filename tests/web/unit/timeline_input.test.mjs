import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listen } from '../../../web/timeline_input.js';

function chart() {
  const done = [];
  const element = Object.assign(new EventTarget(), { closest: () => null, setPointerCapture: () => {}, scrollTop: 0 });
  const note = (name) => () => done.push(name);
  listen(element, { dragBy: note('drag'), hover: note('hover'), choose: note('choose'), leave: note('leave') });
  const send = (type, clientX, buttons) => {
    const pointer = { pointerId: 1, pointerType: 'mouse', button: 0, clientX, clientY: 0, buttons };
    element.dispatchEvent(Object.assign(new Event(type), pointer));
  };
  return { done, send };
}

test('a pointer that is pressed drags, one that is not points', () => {
  const { done, send } = chart();
  send('pointermove', 0, 0);
  send('pointerdown', 0, 1);
  send('pointermove', 20, 1);
  send('pointerup', 20, 0);
  send('pointermove', 40, 0);
  assert.deepEqual(done, ['hover', 'drag', 'hover']);
});

test('a drag whose end nobody saw is over', () => {
  const { done, send } = chart();
  send('pointerdown', 0, 1);
  send('pointermove', 20, 0);
  send('pointermove', 40, 0);
  assert.deepEqual(done, ['hover', 'hover']);
});
