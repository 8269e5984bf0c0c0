// Runs tests one after another: each gets a world and a browser of its own, and both are gone when it ends.

import { Browser } from './browser.mjs';
import { World } from './world.mjs';

// A test is {name, run({world, browser, note})}. `note` adds a figure to the line that is printed.
export async function runTest({ name, run }, chromium) {
  const world = new World();
  const browser = new Browser(chromium);
  const notes = [];
  const begin = Date.now();
  let problem = null;
  try {
    await run({ world, browser, note: (text) => notes.push(text) });
  } catch (error) {
    problem = error.stack;
  }
  let problems = [];
  try {
    problems = await browser.close();
  } catch (error) {
    problems = [error.stack];
  } finally {
    await world.end();
  }
  if (problem === null && problems.length > 0) problem = problems.join('\n');
  const seconds = ((Date.now() - begin) / 1000).toFixed(1);
  console.log(`${problem === null ? 'ok  ' : 'FAIL'} ${name} (${[`${seconds} s`, ...notes].join('; ')})`);
  if (problem !== null) console.log(problem.replace(/^/gm, '     '));
  return problem === null;
}
