// What happens to a fleet is seen on the page, and soon.

import assert from 'node:assert/strict';
import { lane, row, shownAt } from '../support/browser.mjs';
import { until } from '../support/wait.mjs';

const live = (page) => page.getByText('Live', { exact: true }).waitFor();

// The lease in Redis says when the session has its new owner.
async function takeOver(world, session, was) {
  const owner = await until(`${session} has another owner than ${was}`, async () => {
    const now = await world.redis.ownerOf(session);
    return now !== null && now !== was && now;
  });
  return { owner, at: Date.now() };
}

async function shownAfter(world, browser, session, was, end) {
  const table = await browser.open(`${world.url}#sessions?sort=id`);
  const timeline = await browser.open(`${world.url}#timeline`);
  await row(table, session).getByText(was).waitFor();
  await lane(timeline, session).getByLabel(`now ${was}`).waitFor();
  const others = [...world.instances.keys()].filter((id) => id !== was).join('|');
  const inTable = shownAt(table, `tr:has(a[title^="${session}:"]) .owner-name`, `^(${others})`);
  const inTimeline = shownAt(timeline, `.lane:has([title="${session}"]) [role=gridcell]`, `now (${others})`);
  end(world.instances.get(was));
  const { owner, at } = await takeOver(world, session, was);
  const after = { table: (await inTable) - at, timeline: (await inTimeline) - at };
  await row(table, session).getByText(owner).waitFor();
  await lane(timeline, session).getByLabel(`now ${owner}`).waitFor();
  return { ...after, timelinePage: timeline };
}

async function firstOf(world, owner) {
  for (const session of world.sessions) if ((await world.redis.ownerOf(session)) === owner) return session;
  throw new Error(`${owner} owns nothing`);
}

const ms = (number) => `${Math.round(number)} ms`;

export const fleetTests = [
  {
    name: 'the page loads, and every view shows the fleet, the lock and the election',
    async run({ world, browser }) {
      await world.startFleet();
      world.start('run', 'nightly-report', '--ttl', '5s', '--', 'sleep', '1000');
      world.start('elect', 'myapp:leader', '--id', 'scheduler-1', '--', 'sleep', '1000');
      await world.startWeb();
      const page = await browser.open(world.url);
      await live(page);
      for (const id of world.instances.keys()) await page.locator('.instances').getByText(id).waitFor();
      await page.locator('.nodes li').getByText('healthy').waitFor();
      await page.getByRole('link', { name: 'Sessions', exact: true }).click();
      for (const id of world.sessions) await row(page, id).waitFor();
      await row(page, 'shop-1').getByText('ok', { exact: true }).waitFor();
      await page.getByRole('link', { name: 'Locks', exact: true }).click();
      await row(page, 'nightly-report').getByText('held').waitFor();
      await page.getByRole('link', { name: 'Elections', exact: true }).click();
      await row(page, 'myapp:leader').getByText('scheduler-1').waitFor();
      await page.getByRole('link', { name: 'Timeline', exact: true }).click();
      await lane(page, 'shop-9').waitFor();
      await page.getByLabel('Lanes of').selectOption('election');
      await lane(page, 'myapp:leader').getByLabel('now scheduler-1').waitFor();
    },
  },
  {
    name: 'a kill -9 and the take-over are seen in the table and in the timeline',
    async run({ world, browser, note }) {
      await world.startFleet();
      await world.startWeb();
      const session = await firstOf(world, 'web-2');
      const after = await shownAfter(world, browser, session, 'web-2', (instance) => instance.kill('SIGKILL'));
      note(`table ${ms(after.table)}, timeline ${ms(after.timeline)} after the take-over`);
      // The hand-over stays on the timeline, with both owners.
      const texts = lane(after.timelinePage, session).locator('.mark.span');
      await until('both owners have a span', async () => (await texts.count()) >= 2);
    },
  },
  {
    name: 'a clean stop hands over, and is seen',
    async run({ world, browser, note }) {
      await world.startFleet();
      await world.startWeb();
      const session = await firstOf(world, 'web-3');
      const after = await shownAfter(world, browser, session, 'web-3', (instance) => instance.kill('SIGTERM'));
      note(`table ${ms(after.table)}, timeline ${ms(after.timeline)} after the hand-over`);
    },
  },
  {
    name: 'changes are listed as they happen',
    async run({ world, browser }) {
      await world.startFleet();
      await world.startWeb();
      const page = await browser.open(`${world.url}#events`);
      await live(page);
      const lock = world.start('run', 'deploy', '--', 'sleep', '1000');
      const line = page.locator('.change').filter({ hasText: 'deploy' });
      await line.first().waitFor();
      lock.kill('SIGTERM');
      await until('the release is listed, too', async () => (await line.count()) >= 2);
      assert.match(await line.first().innerText(), /nobody$/m);
    },
  },
  {
    name: 'two fleets: the other one can be chosen',
    async run({ world, browser }) {
      await world.startFleet();
      await world.redis.command(
        'SET',
        'billing:session:invoice',
        JSON.stringify({ address: 'http://127.0.0.1:9/', interval_ms: 4000, paused: false }),
      );
      world.startInstance('cashier', '--fleet', 'billing');
      await until('the other fleet owns its session', () => world.redis.command('GET', 'billing:lease:invoice'));
      await world.startWeb();
      const page = await browser.open(`${world.url}#sessions`);
      await row(page, 'shop-1').waitFor();
      await page.getByLabel('Fleet').selectOption('billing');
      await row(page, 'invoice').getByText('cashier').waitFor();
      assert.equal(await row(page, 'shop-1').count(), 0);
      assert.match(page.url(), /fleet=billing/);
      await page.goto(`${world.url}#sessions`);
      await row(page, 'shop-1').waitFor();
      const picked = () => page.getByLabel('Fleet').inputValue();
      await until('the picker names the fleet that is shown', async () => (await picked()) === 'poll', 5_000);
    },
  },
];
