// The time by the clock of the server, which all times of the API are in. Pure, but for the browser's own clock.
//
// A time that the server stamped on a message arrives late, never early: of the last messages the one that shows the
// greatest difference was under way for the shortest time, and is the best measure. The browser's monotonic clock is the
// base, because the wall clock of the viewer's machine may be wrong, or be set while the page is open.

const SAMPLES = 30;

export class ServerClock {
  #local;
  #offsets = [];

  constructor(local = () => performance.now()) {
    this.#local = local;
  }

  sample(serverMs) {
    this.#offsets.push(serverMs - this.#local());
    if (this.#offsets.length > SAMPLES) this.#offsets.shift();
  }

  // Before the first message the viewer's own clock has to do.
  now() {
    if (this.#offsets.length === 0) return Date.now();
    return this.#local() + Math.max(...this.#offsets);
  }
}
