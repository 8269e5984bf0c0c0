// Makes the pictures of the documentation from a real fleet, after one of its instances was killed: node screenshots.mjs
// FOLDER

import path from 'node:path';
import { Browser, lane, launch } from './support/browser.mjs';
import { World } from './support/world.mjs';
import { until } from './support/wait.mjs';

const folder = process.argv[2];
if (!folder) throw new Error('usage: node screenshots.mjs FOLDER');

const chromium = await launch();
const world = new World();
const browser = new Browser(chromium);
try {
  await world.useNodes(3);
  await world.startFleet();
  await world.startWeb();
  const overview = await browser.open(`${world.url}#overview`, { width: 1100, height: 700 });
  const timeline = await browser.open(`${world.url}#timeline?span=30000`, { width: 1100, height: 520 });
  await lane(timeline, 'shop-1').waitFor();
  // A while of calm before the kill makes a picture that explains itself.
  const began = Date.now();
  await until('ten seconds were recorded', () => Date.now() - began > 10_000);
  const killed = await world.redis.ownerOf('shop-2');
  world.instances.get(killed).kill('SIGKILL');
  await until('everything has an owner again', async () => {
    const owners = await Promise.all(world.sessions.map((id) => world.redis.ownerOf(id)));
    return owners.every((owner) => owner !== null && owner !== killed);
  });
  const taken = Date.now();
  world.startInstance(`${killed}b`);
  await until('the newcomer has its share, and a moment has passed', async () => {
    const owners = await Promise.all(world.sessions.map((id) => world.redis.ownerOf(id)));
    return owners.includes(`${killed}b`) && Date.now() - taken > 5_000;
  });
  const box = await lane(timeline, 'shop-2').locator('.mark.span').last().boundingBox();
  await timeline.mouse.move(box.x + 30, box.y + box.height / 2);
  await timeline.locator('.details dl').waitFor();
  await timeline.screenshot({ path: path.join(folder, 'web-timeline.png') });
  await overview.locator('.instances li').nth(2).waitFor();
  await overview.locator('#freshness[data-level=live]').waitFor();
  await overview.screenshot({ path: path.join(folder, 'web-overview.png') });
} finally {
  await browser.close();
  await world.end();
  await chromium.close();
}
