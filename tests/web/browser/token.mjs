// With --http-token-file the page asks for the token, and keeps it for its tab only.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { row } from '../support/browser.mjs';
import { STEADY } from '../support/world.mjs';

const TOKEN = '0123456789abcdef0123456789abcdef';

export const tokenTests = [
  {
    name: 'the page asks for the token, refuses a wrong one, and works with the right one',
    async run({ world, browser }) {
      await world.startFleet(...STEADY);
      const file = path.join(world.directory, 'token');
      writeFileSync(file, `${TOKEN}\n`, { mode: 0o600 });
      await world.startWeb('--http-token-file', file);
      const page = await browser.open(`${world.url}#sessions`, { expectRefusals: true });
      const prompt = page.getByRole('dialog', { name: 'This server asks for a token' });
      await prompt.waitFor();
      await page.keyboard.press('Escape');
      await prompt.getByLabel('Token').fill('ключ-ключ-ключ');
      await page.keyboard.press('Enter');
      await prompt.getByRole('alert').getByText('ASCII letters, digits and punctuation').waitFor();
      await prompt.getByLabel('Token').fill('wrong-wrong-wrong-wrong');
      await page.keyboard.press('Enter');
      await prompt.getByRole('alert').getByText('refused').waitFor();
      assert.equal(await row(page, 'shop-1').count(), 0);
      await prompt.getByLabel('Token').fill(TOKEN);
      await page.keyboard.press('Enter');
      await row(page, 'shop-1').waitFor();
      await page.locator('#freshness[data-level=live]').waitFor();
      assert.ok(!page.url().includes(TOKEN));
      const kept = await page.evaluate(() => [localStorage.length, document.cookie, sessionStorage.length]);
      assert.deepEqual(kept, [0, '', 1]);
      await page.reload();
      await row(page, 'shop-1').waitFor();
    },
  },
];
