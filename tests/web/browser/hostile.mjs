// Names, addresses, owners and errors come from strangers. They are text, whatever they say.

import assert from 'node:assert/strict';
import { until } from '../support/wait.mjs';
import { STEADY } from '../support/world.mjs';

const NAME = '<img src=x onerror=alert(1)>';
const LATER = '<img src=y onerror=alert(4)>';
const ERROR = '"><script>alert(2)</script><svg onload=alert(3)>';

export const hostileTests = [
  {
    name: 'hostile names and errors are shown as text',
    async run({ world, browser }) {
      await world.startRedis();
      await world.addSession(NAME, 'x:<b>address</b>');
      // Nobody polls this one, so that nobody replaces the result.
      await world.redis.command(
        'SET',
        'session:poisoned',
        JSON.stringify({ address: 'x:', interval_ms: 4000, paused: true }),
      );
      await world.redis.command(
        'HSET',
        'state:poisoned',
        'token',
        1,
        'at',
        Date.now(),
        'result',
        JSON.stringify({
          session: 'poisoned',
          instance: ERROR,
          token: 1,
          at: Date.now(),
          took_ms: 4,
          ok: false,
          status: 0,
          error: ERROR,
          body: ERROR,
        }),
      );
      world.startInstance('<i>web-1</i>', ...STEADY, '--any-address', '--exec', 'exit 3');
      world.start('run', NAME, '--', 'sleep', '1000');
      await until('it was polled', () => world.redis.command('HGET', `state:${NAME}`, 'result'));
      await world.startWeb('--any-address');
      for (const view of ['overview', 'sessions', 'locks', 'timeline', 'events']) {
        const page = await browser.open(`${world.url}#${view}`);
        await page.locator('#freshness[data-level=live]').waitFor();
        // Events are listed from when the page was opened.
        if (view === 'events') world.start('run', LATER, '--', 'sleep', '1000');
        if (view === 'events') await page.locator('.change .id').getByText(LATER).waitFor();
        else await page.locator('.id, .lane-name').getByText(NAME).first().waitFor();
        if (view === 'sessions') await page.locator('.error').getByText('<script>').first().waitFor();
        assert.equal(await page.locator('main :is(img, script, b, i)').count(), 0, `${view}: no element was made of it`);
      }
    },
  },
  {
    name: 'a hostile address of the page itself does nothing',
    async run({ world, browser }) {
      await world.startFleet(...STEADY);
      await world.startWeb();
      const page = await browser.open(`${world.url}#sessions?q=${encodeURIComponent(ERROR)}&sort=__proto__&page=-1`);
      await page.getByText(`No session matches “${ERROR}”.`).waitFor();
      await page.goto(`${world.url}#timeline?kind=constructor&span=1e400&end=x`);
      await page.locator('.lane').first().waitFor();
    },
  },
];
