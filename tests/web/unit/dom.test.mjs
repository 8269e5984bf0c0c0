import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeyedChildren } from '../../../web/dom.js';

// As much of a parent as KeyedChildren needs. It counts what is inserted: an element that is inserted again loses the focus.
function parent() {
  const children = [];
  const inserted = [];
  return {
    children,
    inserted,
    get firstChild() {
      return children[0] ?? null;
    },
    insertBefore(element, place) {
      element.remove();
      inserted.push(element.name);
      children.splice(place === null ? children.length : children.indexOf(place), 0, element);
    },
    element: (name) => ({
      name,
      get nextSibling() {
        return children[children.indexOf(this) + 1] ?? null;
      },
      remove() {
        const index = children.indexOf(this);
        if (index >= 0) children.splice(index, 1);
      },
    }),
  };
}

function list() {
  const node = parent();
  const keyed = new KeyedChildren(node, (name) => ({ element: node.element(name), update: () => {} }));
  return {
    show(...names) {
      node.inserted.length = 0;
      keyed.update(names, (name) => name);
      return { names: node.children.map(({ name }) => name).join(' '), inserted: node.inserted.join(' ') };
    },
  };
}

test('children are in the order of the items, each once', () => {
  const { show } = list();
  assert.equal(show('a', 'b', 'a', 'c').names, 'a b c');
  assert.equal(show('c', 'x', 'a').names, 'c x a');
  assert.equal(show().names, '');
});

test('what stands behind a child that goes is not touched', () => {
  const { show } = list();
  show('a', 'b', 'c', 'd');
  assert.deepEqual(show('b', 'd'), { names: 'b d', inserted: '' });
  assert.deepEqual(show('e', 'b', 'd'), { names: 'e b d', inserted: 'e' });
});
