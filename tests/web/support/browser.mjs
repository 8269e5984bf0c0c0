// A browser, and pages that fail a test by themselves if anything on them goes wrong.

import { chromium } from 'playwright-core';

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: FLAGS });

// The browser itself reports every answer that is an error, and nothing can keep it from doing so.
const REFUSED = /^Failed to load resource: .*(401|503|ERR_CONNECTION|ERR_INCOMPLETE|ERR_EMPTY|ERR_NETWORK)/;

export class Browser {
  #browser;
  #contexts = [];
  #problems = [];

  constructor(browser) {
    this.#browser = browser;
  }

  // `expectRefusals`: the test makes the server refuse or go away. `before` runs on the page before anything of it does.
  async open(url, { width = 1100, height = 700, scheme = 'light', expectRefusals = false, before = null, ...more } = {}) {
    const context = await this.#browser.newContext({ viewport: { width, height }, colorScheme: scheme, ...more });
    this.#contexts.push(context);
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    page.on('console', (message) => {
      const noise = expectRefusals && REFUSED.test(message.text());
      if (['error', 'warning'].includes(message.type()) && !noise) this.#problems.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.#problems.push(`error on the page: ${error.stack}`));
    page.on('dialog', (dialog) => {
      this.#problems.push(`a dialog opened: ${dialog.message()}`);
      dialog.dismiss();
    });
    await page.exposeFunction('reportViolation', (text) => this.#problems.push(`content security policy: ${text}`));
    await page.addInitScript(() =>
      document.addEventListener('securitypolicyviolation', (event) =>
        window.reportViolation(`${event.violatedDirective} ${event.blockedURI}`),
      ),
    );
    if (before) await page.addInitScript(before);
    await page.goto(url);
    return page;
  }

  // What went wrong on any page of this test.
  async close() {
    for (const context of this.#contexts) await context.close();
    return this.#problems;
  }
}

export const row = (page, id) =>
  page.locator('tbody tr').filter({ has: page.locator('.id', { hasText: new RegExp(`^${id}$`) }) });

export const lane = (page, name) =>
  page.locator('.lane').filter({ has: page.locator('.lane-name', { hasText: new RegExp(`^${name}$`) }) });

// Resolves to the moment, by the clock of this machine, at which an element first showed a text that matches; rejects if
// none does in time.
export function shownAt(page, selector, pattern, timeout = 30_000) {
  const shown = page.evaluate(
    ([css, source, wait]) =>
      new Promise((resolve, reject) => {
        const wanted = new RegExp(source);
        const check = () =>
          [...document.querySelectorAll(css)].some((element) => {
            return wanted.test(`${element.textContent} ${element.getAttribute('aria-label') ?? ''}`);
          });
        const finish = () => resolve(performance.timeOrigin + performance.now());
        if (check()) return finish();
        const observer = new MutationObserver(() => {
          if (!check()) return;
          observer.disconnect();
          finish();
        });
        setTimeout(() => reject(new Error(`${css} did not show ${source} within ${wait / 1000} s`)), wait);
        observer.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
      }),
    [selector, pattern, timeout],
  );
  // Whoever waits for it sees the failure. A test that fails before it does must not end the whole run.
  shown.catch(() => {});
  return shown;
}
