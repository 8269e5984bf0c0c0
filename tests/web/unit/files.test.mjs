// Rules for the files of the page that a reviewer would otherwise have to watch.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const web = new URL('../../../web/', import.meta.url);
const names = readdirSync(web);
const read = (name) => readFileSync(new URL(name, web), 'utf8');
const modules = names.filter((name) => name.endsWith('.js'));

test('the page asks for every module at once, and for no other', () => {
  const page = read('index.html');
  const asked = [...page.matchAll(/(?:modulepreload" href|script type="module" src)="\/web\/([\w.]+)"/g)].map(
    ([, name]) => name,
  );
  assert.deepEqual(asked.sort(), modules.sort());
});

test('every module that is imported exists', () => {
  for (const name of modules) {
    for (const [, imported] of read(name).matchAll(/from '\.\/([\w.]+)'/g))
      assert.ok(names.includes(imported), `${name}: ${imported}`);
  }
});

test('text of strangers never becomes markup or code', () => {
  for (const name of modules) {
    assert.doesNotMatch(
      read(name),
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|DOMParser/,
      name,
    );
  }
});

test('nothing comes from elsewhere, and nothing is inline', () => {
  for (const name of names) {
    const text = read(name).replaceAll('http://www.w3.org/2000/svg', '').replaceAll('https://shop.example.org/health', '');
    assert.doesNotMatch(text, /https?:\/\//, name);
    assert.doesNotMatch(text, /@import|url\((?!#)/, name);
  }
  assert.doesNotMatch(read('index.html'), /style=|<style|\son\w+=|<script(?! type="module" src)/);
});
