// The page against the real program: node run.mjs [WORDS], where WORDS choose the tests whose names contain them.
// $TENURE is the program, $CHROMIUM the browser.

import { fleetTests } from './browser/fleet.mjs';
import { hostileTests } from './browser/hostile.mjs';
import { hugeTests } from './browser/huge.mjs';
import { lookTests } from './browser/look.mjs';
import { outageTests } from './browser/outage.mjs';
import { keyboardTests } from './browser/keyboard.mjs';
import { tokenTests } from './browser/token.mjs';
import { launch } from './support/browser.mjs';
import { runTest } from './support/harness.mjs';

const wanted = process.argv.slice(2).join(' ');
const tests = [
  ...fleetTests,
  ...outageTests,
  ...hostileTests,
  ...keyboardTests,
  ...lookTests,
  ...tokenTests,
  ...hugeTests,
].filter(({ name }) => name.includes(wanted));

const chromium = await launch();
let passed = 0;
try {
  for (const test of tests) passed += await runTest(test, chromium);
} finally {
  await chromium.close();
}
console.log(`${passed} passed, ${tests.length - passed} failed`);
process.exitCode = passed === tests.length && passed > 0 ? 0 : 1;
