// Everything works without a pointer, and everything has a name that a screen reader can say.

import assert from 'node:assert/strict';
import { lane, row } from '../support/browser.mjs';
import { until } from '../support/wait.mjs';
import { STEADY } from '../support/world.mjs';

const focused = (page) =>
  page.evaluate(() => {
    const element = document.activeElement;
    return element.getAttribute('aria-label') ?? element.textContent;
  });

// Presses Tab until the focus is on something with this name.
async function tabTo(page, name) {
  for (let presses = 0; presses < 60; presses += 1) {
    if ((await focused(page)).trim() === name) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not lead to ${name}`);
}

export const keyboardTests = [
  {
    name: 'a tour with the keyboard only: views, search, sort, zoom',
    async run({ world, browser }) {
      await world.startFleet(...STEADY);
      await world.startWeb();
      const page = await browser.open(world.url);
      await page.locator('.instances li').first().waitFor();
      await tabTo(page, 'Sessions');
      await page.keyboard.press('Enter');
      await row(page, 'shop-9').waitFor();
      await tabTo(page, 'Search sessions');
      await page.keyboard.type('SHOP-3');
      await until('one row is left', async () => (await page.locator('tbody tr').count()) === 1);
      assert.match(page.url(), /q=SHOP-3/);
      await page.keyboard.press('Escape');
      await row(page, 'shop-9').waitFor();
      await tabTo(page, 'Session');
      await page.keyboard.press('Enter');
      await page.locator('th[aria-sort=ascending]').getByText('Session').waitFor();
      assert.match(page.url(), /sort=id/);
      await until(
        'rows are in natural order',
        async () => (await page.locator('tbody .id').allTextContents()).join() === world.sessions.join(),
      );
      await page.keyboard.press('Shift+Tab');
      await page.goto(`${world.url}#timeline`);
      await page.locator('.lane').first().waitFor();
      await tabTo(page, 'Ownership timeline');
      await until('a piece is selected', () => page.locator('.chart[aria-activedescendant]').count().then(Boolean));
      await page.keyboard.press('ArrowDown');
      await until('its details are shown', async () =>
        /^shop-2: web-/.test(await page.locator('.details strong').textContent()),
      );
      const label = await page.locator('#timeline-active').getAttribute('aria-label');
      assert.match(label, /Owner: web-\d\. Token: \d+\. From: .*\d\d:\d\d:\d\d\.\d{3}.*To: still/);
      await page.keyboard.press('+');
      await page.keyboard.press('+');
      await until('the address has the window', () => /span=43200/.test(page.url()));
      await page.keyboard.press('Shift+ArrowLeft');
      await page.getByRole('button', { name: 'Follow', pressed: false }).waitFor();
      await page.keyboard.press('l');
      await page.getByRole('button', { name: 'Follow', pressed: true }).waitFor();
    },
  },
  {
    name: 'the wheel and dragging move the timeline',
    async run({ world, browser }) {
      await world.startFleet(...STEADY);
      await world.startWeb();
      const page = await browser.open(`${world.url}#timeline`);
      await page.locator('.lane').first().waitFor();
      const box = await page.locator('.lane-picture').first().boundingBox();
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
      await page.mouse.move(x, y);
      await page.mouse.wheel(0, -400);
      const span = await until('the wheel zoomed in', () => page.url().match(/span=(\d+)/)?.[1]);
      assert.ok(Number(span) < 120_000);
      await page.mouse.down();
      await page.mouse.move(x + 200, y, { steps: 4 });
      await page.mouse.up();
      await page.getByRole('button', { name: 'Follow', pressed: false }).waitFor();
      await page.getByRole('button', { name: 'Follow' }).click();
      await page.getByRole('button', { name: 'Follow', pressed: true }).waitFor();
      // What is above it may still grow, and move it away from under the pointer.
      await until('pointing shows details', async () => {
        const now = await page.locator('.lane-picture').first().boundingBox();
        await page.mouse.move(now.x + now.width - 20, now.y + now.height / 2);
        return (await page.locator('.details dt').count()) >= 4;
      });
    },
  },
  {
    name: 'a lane that goes or scrolls away takes what points at it along',
    async run({ world, browser }) {
      await world.startFleet(...STEADY);
      await world.startWeb();
      const page = await browser.open(`${world.url}#timeline?span=5000`, { height: 300 });
      const choose = async (name) => {
        const picture = lane(page, name).locator('.lane-picture');
        // What is above it may still grow, and move it away from under the pointer.
        await until(`${name} is chosen`, async () => {
          await picture.scrollIntoViewIfNeeded();
          const box = await picture.boundingBox();
          await page.mouse.click(box.x + box.width - 5, box.y + box.height / 2);
          return (await page.locator('.details strong').getByText(name).count()) > 0;
        });
      };
      await lane(page, 'shop-1').locator('.mark.span').first().waitFor();
      await choose('shop-1');
      await choose('shop-9');
      assert.equal(await page.locator('#timeline-active').count(), 1);
      await page.getByRole('searchbox').fill('shop-1');
      await lane(page, 'shop-9').waitFor({ state: 'detached' });
      const details = page.locator('.details');
      await until('nothing is said of it any more', async () => !/shop-9/.test(await details.textContent()));
    },
  },
  {
    name: 'two fingers zoom the timeline, one finger chooses',
    async run({ world, browser }) {
      await world.startFleet(...STEADY);
      await world.startWeb();
      const page = await browser.open(`${world.url}#timeline?span=5000`, { width: 400, height: 800, hasTouch: true });
      await page.locator('.lane').first().waitFor();
      const box = await page.locator('.lane-picture').first().boundingBox();
      const y = box.y + box.height / 2;
      await page.locator('.mark.span').first().waitFor();
      await page.touchscreen.tap(box.x + box.width - 3, y);
      await until('the tap shows details', async () => (await page.locator('.details dt').count()) >= 4);
      const fingers = await page.context().newCDPSession(page);
      const touch = (type, ...places) =>
        fingers.send('Input.dispatchTouchEvent', {
          type,
          touchPoints: places.map((x, id) => ({ x: box.x + x, y, id })),
        });
      await touch('touchStart', 100, 140);
      for (let step = 1; step <= 6; step += 1) await touch('touchMove', 100 - 10 * step, 140 + 10 * step);
      await touch('touchEnd');
      await until('the pinch zoomed in', () => Number(page.url().match(/span=(\d+)/)[1]) < 2500);
    },
  },
  {
    name: 'everything has a role and a name',
    async run({ world, browser }) {
      await world.startFleet(...STEADY);
      world.start('run', 'nightly-report', '--', 'sleep', '1000');
      await world.startWeb();
      for (const view of ['overview', 'sessions', 'locks', 'elections', 'timeline', 'events']) {
        const page = await browser.open(`${world.url}#${view}`);
        await page.locator('#freshness[data-level=live]').waitFor();
        const nameless = await page.evaluate(() =>
          [...document.querySelectorAll('a, button, input, select, [role=img], [role=grid], [tabindex="0"]')]
            .filter((element) => element.checkVisibility())
            .filter(
              (element) => !(element.getAttribute('aria-label') || element.textContent.trim() || element.labels?.length),
            )
            .map((element) => element.outerHTML),
        );
        assert.deepEqual(nameless, [], view);
        await page.getByRole('navigation', { name: 'Views' }).waitFor();
        await page.getByRole('link', { current: 'page' }).or(page.locator('nav [aria-current=page]')).first().waitFor();
        assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1);
        assert.equal(await page.locator('[role=status][aria-live=polite]').count(), 1);
      }
      const page = await browser.open(`${world.url}#sessions`);
      await page.getByRole('table', { name: 'sessions' }).waitFor();
      await page
        .getByRole('row', { name: /shop-1/ })
        .first()
        .waitFor();
      await page.getByRole('img', { name: /poll/ }).first().waitFor();
      assert.equal(await page.locator('th[aria-sort]:not([aria-sort=none])').count(), 1);
    },
  },
];
