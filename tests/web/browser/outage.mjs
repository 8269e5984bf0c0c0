// A page that is not current says so, says since when, and recovers by itself.

import assert from 'node:assert/strict';
import { row } from '../support/browser.mjs';
import { until } from '../support/wait.mjs';

const stale = (page) =>
  page
    .locator('#banner')
    .getByText(/^Stale since \d\d:\d\d:\d\d\.\d{3}/)
    .waitFor();
const live = (page) => page.locator('#freshness[data-level=live]').waitFor();

export const outageTests = [
  {
    name: 'a Redis that is suspended makes the page stale, and it recovers',
    async run({ world, browser, note }) {
      await world.startFleet();
      await world.startWeb();
      const page = await browser.open(`${world.url}#sessions`, { expectRefusals: true });
      await live(page);
      await row(page, 'shop-1').waitFor();
      world.redis.suspend();
      const suspended = Date.now();
      await stale(page);
      note(`stale ${Date.now() - suspended} ms after SIGSTOP`);
      await until('it is announced', async () => /stale/.test(await page.locator('#announcer').textContent()));
      assert.equal(await row(page, 'shop-1').count(), 1, 'what was known stays');
      world.redis.resume();
      const resumed = Date.now();
      await live(page);
      note(`live ${Date.now() - resumed} ms after SIGCONT`);
      await page.locator('#banner').waitFor({ state: 'hidden' });
    },
  },
  {
    name: 'the stream resumes after tenure web was restarted',
    async run({ world, browser }) {
      await world.startFleet();
      await world.startWeb();
      const page = await browser.open(`${world.url}#locks`, { expectRefusals: true });
      await live(page);
      world.web.kill('SIGKILL');
      await world.web.ended;
      await stale(page);
      world.start('run', 'deploy', '--', 'sleep', '1000');
      await world.startWeb();
      await live(page);
      await row(page, 'deploy').getByText('held').waitFor();
    },
  },
  {
    name: 'a Redis that is away from the start is explained, and the page fills when it comes',
    async run({ world, browser }) {
      await world.startWeb();
      const page = await browser.open(`${world.url}#sessions`, { expectRefusals: true });
      await page.getByRole('heading', { name: 'Nothing can be shown yet' }).waitFor();
      await page.locator('#banner').getByText('Nothing has been seen yet').waitFor();
      await world.startFleet();
      await live(page);
      await row(page, 'shop-1').waitFor();
    },
  },
  {
    name: 'nothing is asked while the page is hidden',
    async run({ world, browser }) {
      await world.startFleet();
      await world.startWeb();
      const page = await browser.open(`${world.url}#sessions`);
      await live(page);
      const asked = [];
      page.on('request', (request) => asked.push(request.url()));
      const hide = (hidden) =>
        page.evaluate((value) => {
          Object.defineProperty(document, 'hidden', { value, configurable: true });
          document.dispatchEvent(new Event('visibilitychange'));
        }, hidden);
      await until('it asks while it is seen', () => asked.length > 0);
      await hide(true);
      asked.length = 0;
      // Other pages go on, so the server does have something to say meanwhile.
      const other = await browser.open(`${world.url}#sessions`);
      let answers = 0;
      other.on('response', (response) => {
        if (new URL(response.url()).pathname === '/api/v1/sessions') answers += 1;
      });
      // A page without an event stream asks every 5 s; this one must not do that either.
      const began = Date.now();
      await until('another page was refreshed for 6 s', () => answers >= 3 && Date.now() - began > 6_000);
      assert.deepEqual(asked, []);
      await hide(false);
      await live(page);
    },
  },
];
