// Decides when to ask the server again: after each look at the nodes, but not more than once a second, one request at a
// time, and not while nobody sees the page. Without the event stream, every few seconds.

const WITHOUT_STREAM = 5_000;

export class Refresher {
  #work;
  #timer = null;
  #running = null;
  #last = -Infinity;
  #wanted = false;
  #paused = false;
  #apart;

  // `work(signal)` asks, and shows the answers. It must not throw. `apart` is the least time between two requests.
  constructor(work, apart = 1_000) {
    this.#work = work;
    this.#apart = apart;
  }

  // Something may have changed. What is under way goes on, and is followed by another request.
  soon() {
    this.#wanted = true;
    this.#schedule(Math.max(0, this.#last + this.#apart - performance.now()));
  }

  // The reader has asked for something else: what is under way is of no use.
  now() {
    this.#running?.abort();
    this.#running = null;
    this.#wanted = true;
    this.#schedule(0);
  }

  pause() {
    this.#paused = true;
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#running?.abort();
    this.#running = null;
  }

  resume() {
    this.#paused = false;
    this.now();
  }

  #schedule(delay) {
    if (this.#paused || this.#running) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#run(), delay);
  }

  async #run() {
    const own = new AbortController();
    this.#running = own;
    this.#wanted = false;
    this.#last = performance.now();
    await this.#work(own.signal);
    if (this.#running !== own) return;
    this.#running = null;
    if (this.#wanted) this.soon();
    else this.#schedule(Math.max(WITHOUT_STREAM, this.#apart));
  }
}
