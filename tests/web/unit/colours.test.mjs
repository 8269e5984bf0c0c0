import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { COLOURS, OwnerColours } from '../../../web/colours.js';

test('the owners of a small fleet have colours of their own, in whichever order they are met', () => {
  const owners = Array.from({ length: COLOURS }, (_, i) => `web-${i + 1}`);
  const one = new OwnerColours();
  one.learn(owners);
  const other = new OwnerColours();
  other.learn([...owners].reverse());
  assert.equal(new Set(owners.map((owner) => one.of(owner))).size, COLOURS);
  for (const owner of owners) assert.equal(one.of(owner), other.of(owner));
});

test('an owner keeps its colour when others come', () => {
  const colours = new OwnerColours();
  const before = colours.of('web-1');
  colours.learn(Array.from({ length: 100 }, (_, i) => `other-${i}`));
  assert.equal(colours.of('web-1'), before);
});

test('thousands of owners do not fill the memory', () => {
  const colours = new OwnerColours();
  for (let i = 0; i < 10_000; i += 1) assert.ok(colours.of(`o-${i}`) < COLOURS);
});

// The two blocks of variables at the top of theme.css.
function themes() {
  const css = readFileSync(new URL('../../../web/theme.css', import.meta.url), 'utf8');
  const variables = (text) =>
    Object.fromEntries([...text.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name, value]));
  const [light, dark] = css.split('@media (prefers-color-scheme: dark)');
  return { light: variables(light), dark: { ...variables(light), ...variables(dark) } };
}

function luminance(hex) {
  const [r, g, b] = [1, 3, 5]
    .map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one, other) {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

for (const [name, theme] of Object.entries(themes())) {
  test(`text can be read in the ${name} theme`, () => {
    const pairs = [
      ...['page', 'panel', 'raised'].flatMap((back) => ['ink', 'muted'].map((text) => [text, back])),
      ...['ok', 'warn', 'bad'].flatMap((level) => [
        [level, `${level}-soft`],
        [level, 'panel'],
      ]),
      ...Array.from({ length: COLOURS }, (_, i) => ['owner-ink', `owner-${i}`]),
      ['accent', 'panel'],
      ['accent', 'accent-soft'],
      ['panel', 'accent'],
    ];
    for (const [text, back] of pairs) {
      assert.ok(
        contrast(theme[text], theme[back]) >= 4.5,
        `${text} on ${back}: ${contrast(theme[text], theme[back]).toFixed(2)}`,
      );
    }
  });

  test(`spans, swatches and controls stand out in the ${name} theme`, () => {
    const shapes = ['control', ...Array.from({ length: COLOURS }, (_, i) => `owner-${i}`)];
    for (const shape of shapes)
      assert.ok(contrast(theme[shape], theme.panel) >= 3, `${shape}: ${contrast(theme[shape], theme.panel).toFixed(2)}`);
  });
}
