// Waits for conditions. Tests never sleep: what takes long on a busy machine only makes them slower.

const PAUSE = 10;

const sleep = (ms) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

// Returns the first value of `look` that is not false, null or undefined. A look that is costly wants a longer pause.
export async function until(what, look, timeout = 20_000, pause = PAUSE) {
  const end = Date.now() + timeout;
  for (;;) {
    const value = await look();
    if (value !== false && value !== null && value !== undefined) return value;
    if (Date.now() > end) throw new Error(`waited ${timeout / 1000} s for: ${what}`);
    await sleep(pause);
  }
}
