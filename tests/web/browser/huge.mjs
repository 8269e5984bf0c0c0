// Ten thousand sessions: the first picture comes quickly, and the page does not grow with them.

import assert from 'node:assert/strict';
import { row } from '../support/browser.mjs';
import { until } from '../support/wait.mjs';
import { STEADY } from '../support/world.mjs';

const SESSIONS = 10_000;

// Runs on the page: when are a hundred rows there, and on the screen?
function watchRows() {
  const observer = new MutationObserver(() => {
    if (document.querySelectorAll('tbody tr').length < 100) return;
    observer.disconnect();
    requestAnimationFrame(() =>
      setTimeout(() => {
        window.firstPicture = performance.now();
      }),
    );
  });
  observer.observe(document, { subtree: true, childList: true });
}

// How many keys there are. SCAN may give one more than once.
async function countKeys(redis, pattern) {
  const found = new Set();
  let cursor = '0';
  do {
    const [next, keys] = await redis.command('SCAN', cursor, 'MATCH', pattern, 'COUNT', '10000');
    for (const key of keys) found.add(key);
    cursor = next;
  } while (cursor !== '0');
  return found.size;
}

export const hugeTests = [
  {
    name: 'ten thousand sessions',
    async run({ world, browser, note }) {
      await world.startRedis();
      const target = await world.startTarget();
      const text = JSON.stringify({ address: `${target}/ok`, interval_ms: 120_000, paused: false });
      for (let begin = 0; begin < SESSIONS; begin += 500) {
        await world.redis.command(
          'MSET',
          ...Array.from({ length: 500 }, (_, i) => [`session:s-${begin + i + 1}`, text]).flat(),
        );
      }
      for (const id of ['web-1', 'web-2', 'web-3']) world.startInstance(id, ...STEADY);
      const all = (what, pattern) =>
        until(what, async () => (await countKeys(world.redis, pattern)) === SESSIONS, 120_000, 500);
      await all('every session has an owner', 'poll:lease:*');
      // The first polls come within a quarter of the interval, the others evenly over all of it. Only then is the machine
      // calm enough for a figure that means something.
      await all('every session was polled', 'state:*');
      await world.startWeb();

      const first = await browser.open(`${world.url}#sessions?sort=id`);
      await row(first, 's-100').waitFor();
      const page = await browser.open(`${world.url}#sessions?sort=id`, { before: watchRows });
      const after = await until('a hundred rows are on the screen', () => page.evaluate(() => window.firstPicture));
      note(`first picture after ${Math.round(after)} ms`);

      await page.getByText('1–100 of 10,000 sessions').waitFor();
      await page.getByRole('button', { name: 'Next page' }).click();
      await row(page, 's-101').waitFor();
      await page.getByLabel('Search sessions').fill('s-9999');
      await row(page, 's-9999').waitFor();
      await page.goto(`${world.url}#timeline`);
      await page.getByText('of 10,000 lanes').waitFor();
      for (const view of ['sessions', 'timeline', 'overview']) {
        await page.goto(`${world.url}#${view}`);
        await page.locator('tbody tr, .lane, .tile').first().waitFor();
        const elements = await page.evaluate(() => document.querySelectorAll('*').length);
        note(`${view} ${elements} elements`);
        assert.ok(elements < 6000, `${view} has ${elements} elements`);
      }
    },
  },
];
