// Decides whether what the page shows is current, and since when it is not. Pure.

// The server says when its next look comes at the latest; the network may need a moment more.
const GRACE = 1_000;
// Without the event stream the page asks by itself every few seconds, see refresh.js.
const POLLED_MAX = 12_000;

export class Freshness {
  #connected = false;
  #broken = null;
  // Whether the stream that is open now has told of a look.
  #looked = false;
  #lastLook = null;
  #nextLook = null;
  #lookError = null;
  #answeredAt = null;

  onHello() {
    this.#connected = true;
    this.#broken = null;
    // What the last stream said about the nodes may be long ago. The first look of this one comes right away, or soon.
    this.#looked = false;
    this.#nextLook = null;
    this.#lookError = null;
  }

  onLook({ at_ms, next_ms, error }) {
    this.#looked = true;
    this.#nextLook = next_ms;
    this.#lookError = error;
    if (error === null) this.#lastLook = at_ms;
  }

  onBreak(reason) {
    this.#connected = false;
    this.#broken = reason;
  }

  onAnswer(at) {
    this.#answeredAt = at;
  }

  // The stream was closed on purpose, because nobody looks at the page.
  onPause() {
    this.#connected = false;
    this.#broken = null;
  }

  // {level: connecting | live | polling | stale, since: time of the last good look | null, why: sentence | null}
  at(now) {
    const since = Math.max(this.#lastLook ?? 0, this.#answeredAt ?? 0) || null;
    if (!this.#connected) return this.#withoutStream(now, since);
    if (this.#lookError !== null) return { level: 'stale', since, why: this.#lookError };
    if (this.#nextLook !== null && now > this.#nextLook + GRACE) {
      return { level: 'stale', since, why: "the server's next look at the nodes is overdue" };
    }
    if (this.#looked) return { level: 'live', since, why: null };
    // On a page that was live before, what is shown is old; one that never was has nothing that could be.
    const why = 'the server has not looked at the nodes since the page connected again';
    return this.#lastLook === null ? { level: 'connecting', since, why: null } : { level: 'stale', since, why };
  }

  #withoutStream(now, since) {
    if (this.#answeredAt !== null && now - this.#answeredAt < POLLED_MAX && this.#broken?.status === 503) {
      return { level: 'polling', since, why: this.#broken.message };
    }
    if (this.#broken === null) return { level: since === null ? 'connecting' : 'stale', since, why: 'connecting again' };
    return { level: 'stale', since, why: this.#broken.message };
  }
}
