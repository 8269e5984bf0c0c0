// How it looks: narrow, light, dark and empty.

import assert from 'node:assert/strict';
import { row } from '../support/browser.mjs';
import { until } from '../support/wait.mjs';
import { STEADY } from '../support/world.mjs';

const VIEWS = ['overview', 'sessions', 'locks', 'elections', 'timeline', 'events'];
const live = (page) => page.locator('#freshness[data-level=live]').waitFor();

export const lookTests = [
  {
    name: 'a page of 400 pixels has no horizontal scroll',
    async run({ world, browser }) {
      await world.startFleet(...STEADY);
      await world.addSession(
        'a-session-with-a-name-that-is-much-longer-than-a-narrow-page-has-room-for',
        `http://127.0.0.1:9/${'x'.repeat(300)}`,
      );
      world.start('run', 'nightly-report', '--', 'sleep', '1000');
      await world.startWeb();
      for (const view of VIEWS) {
        const page = await browser.open(`${world.url}#${view}`, { width: 400, height: 800 });
        await live(page);
        if (view === 'sessions') await row(page, 'shop-1').waitFor();
        if (view === 'timeline') await page.locator('.lane').first().waitFor();
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(width <= 400, `${view} is ${width} pixels wide`);
      }
    },
  },
  {
    name: 'light and dark differ, and follow the system',
    async run({ world, browser }) {
      await world.startFleet(...STEADY);
      await world.startWeb();
      const brightness = {};
      for (const scheme of ['light', 'dark']) {
        const page = await browser.open(`${world.url}#overview`, { scheme });
        await page.locator('.instances li').first().waitFor();
        brightness[scheme] = await page.evaluate(() =>
          Number(getComputedStyle(document.body).backgroundColor.match(/\d+/)[0]),
        );
        const picture = await page.screenshot();
        assert.ok(picture.length > 10_000);
      }
      assert.ok(brightness.light > 200 && brightness.dark < 50);
    },
  },
  {
    name: 'whoever wants no motion gets none',
    async run({ world, browser }) {
      await world.startFleet(...STEADY);
      await world.startWeb();
      const page = await browser.open(`${world.url}#overview`, { reducedMotion: 'reduce' });
      await page.locator('.bar-fill').first().waitFor();
      assert.equal(
        await page.evaluate(() => getComputedStyle(document.querySelector('.bar-fill')).transitionDuration),
        '0s',
      );
    },
  },
  {
    name: 'an empty Redis: every view says so, and what to do',
    async run({ world, browser }) {
      await world.startRedis();
      await world.startWeb();
      const page = await browser.open(`${world.url}#sessions`);
      await page.getByRole('heading', { name: 'This fleet has no sessions' }).waitFor();
      await page.goto(`${world.url}#locks`);
      await page.getByRole('heading', { name: 'No locks are held' }).waitFor();
      await page.goto(`${world.url}#elections`);
      await page.getByRole('heading', { name: 'Nobody leads anything' }).waitFor();
      await page.goto(`${world.url}#timeline`);
      await page.getByText('No session on record').waitFor();
      await page.goto(`${world.url}#events`);
      await page.getByText('No owner has changed since this page was opened').waitFor();
      await page.goto(`${world.url}#overview`);
      await page.getByText('no instance runs').waitFor();
    },
  },
  {
    name: 'a shared link shows the same: view, search and sort',
    async run({ world, browser }) {
      await world.startFleet(...STEADY);
      await world.startWeb();
      const page = await browser.open(`${world.url}#sessions?q=web-2&sort=latency`);
      await until('the sessions of one instance are shown', async () => (await page.locator('tbody tr').count()) === 3);
      assert.equal(await page.getByLabel('Search sessions').inputValue(), 'web-2');
      await page.locator('th[aria-sort=descending]').getByText('Latency').waitFor();
    },
  },
];
