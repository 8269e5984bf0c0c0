// Keeps the event stream open: reconnects with growing pauses, and resumes after the last event that was seen.
// It does not promise that nothing was missed: the server says `reset` where it could not resume.

import { SseParser } from './sse.js';

const PAUSE_MIN = 500;
const PAUSE_MAX = 8_000;
// The server sends something every 30 s at the latest. A connection that is silent for longer is dead, even if nobody closed
// it.
const SILENCE_MAX = 45_000;

export class EventStream {
  #open;
  #onEvent;
  #onBreak;
  #random;
  #lastEventId = '';
  #pause = PAUSE_MIN;
  #run = null;

  // `open(headers, signal)` fetches the stream. `onEvent(type, data)` gets every event, with its data parsed.
  // `onBreak(error)` is told that nothing arrives any more, and why.
  constructor({ open, onEvent, onBreak, random = Math.random }) {
    this.#open = open;
    this.#onEvent = onEvent;
    this.#onBreak = onBreak;
    this.#random = random;
  }

  start() {
    if (this.#run) return;
    this.#run = new AbortController();
    this.#pause = PAUSE_MIN;
    this.#loop(this.#run.signal);
  }

  stop() {
    this.#run?.abort();
    this.#run = null;
  }

  // What follows belongs to another fleet, or comes from another server: there is nothing to resume.
  forget() {
    this.#lastEventId = '';
  }

  async #loop(stopped) {
    while (!stopped.aborted) {
      try {
        await this.#read(stopped);
        if (!stopped.aborted) this.#onBreak(new Error('the server ended the event stream'));
      } catch (error) {
        if (!stopped.aborted) this.#onBreak(error);
      }
      if (stopped.aborted) return;
      // Many pages lose the same server at the same moment; the random part keeps them from coming back at the same moment.
      await sleep(this.#pause * (0.5 + this.#random() / 2), stopped);
      this.#pause = Math.min(this.#pause * 2, PAUSE_MAX);
    }
  }

  async #read(stopped) {
    const connection = new AbortController();
    const stop = () => connection.abort();
    const giveUp = () => connection.abort(new Error(`the server has sent nothing for ${SILENCE_MAX / 1000} s`));
    stopped.addEventListener('abort', stop);
    let silence = setTimeout(giveUp, SILENCE_MAX);
    try {
      const headers = this.#lastEventId === '' ? {} : { 'Last-Event-ID': this.#lastEventId };
      const response = await this.#open(headers, connection.signal);
      const parser = new SseParser();
      parser.lastEventId = this.#lastEventId;
      const decoder = new TextDecoder();
      const reader = response.body.getReader();
      for (;;) {
        const { done, value } = await reader.read().catch(() => {
          throw connection.signal.reason ?? new Error('the connection to the server broke');
        });
        if (done || stopped.aborted) return;
        clearTimeout(silence);
        silence = setTimeout(giveUp, SILENCE_MAX);
        for (const event of parser.push(decoder.decode(value, { stream: true }))) this.#take(event);
      }
    } finally {
      clearTimeout(silence);
      stopped.removeEventListener('abort', stop);
      connection.abort();
    }
  }

  #take(event) {
    const data = parse(event.data);
    // Only a stream that really speaks resets the pause: a server that accepts and hangs up would otherwise be asked at
    // once.
    if (event.type === 'hello') this.#pause = PAUSE_MIN;
    // Resuming needs a number even if nothing has changed yet, or what changes during a break would be lost.
    if (event.type === 'hello' && this.#lastEventId === '' && data.id !== undefined) this.#lastEventId = String(data.id);
    if (event.id !== '') this.#lastEventId = event.id;
    this.#onEvent(event.type, data);
  }
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('the server sent an event that is not JSON');
  }
}

function sleep(ms, signal) {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
