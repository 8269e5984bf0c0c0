// Parses text/event-stream, as the HTML standard describes it. Pure: text goes in, in pieces of any size, and events come
// out. The browser's EventSource would do this, but cannot send the token.

// An event of the server has a few hundred characters. More than this is not from it, and must not fill the memory.
const LENGTH_MAX = 1 << 20;

export class SseParser {
  lastEventId = '';
  #line = '';
  #endedWithCr = false;
  #started = false;
  #type = '';
  #id = null;
  #data = [];
  #dataLength = 0;

  // Returns the events that this piece completes, as {type, data, id}.
  push(text) {
    const events = [];
    if (!this.#started && text.length > 0) {
      this.#started = true;
      if (text.startsWith('\ufeff')) text = text.slice(1);
    }
    // A line may end with CR LF, and a piece between the two.
    if (this.#endedWithCr && text.startsWith('\n')) text = text.slice(1);
    if (text.length > 0) this.#endedWithCr = text.endsWith('\r');
    const lines = text.split(/\r\n|\n|\r/);
    lines[0] = this.#line + lines[0];
    this.#line = lines.pop();
    for (const line of lines) this.#take(line, events);
    if (this.#line.length + this.#dataLength > LENGTH_MAX) throw new Error('the event stream sent an event without an end');
    return events;
  }

  #take(line, events) {
    if (line === '') return this.#dispatch(events);
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? '' : line.slice(colon + 1);
    if (value.startsWith(' ')) value = value.slice(1);
    if (field === 'event') this.#type = value;
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    else if (field === 'data') {
      this.#data.push(value);
      this.#dataLength += value.length + 1;
    }
  }

  #dispatch(events) {
    // The id counts once its event is complete: a stream that breaks off in between has to send it again.
    if (this.#id !== null) this.lastEventId = this.#id;
    if (this.#data.length > 0) {
      events.push({ type: this.#type || 'message', data: this.#data.join('\n'), id: this.lastEventId });
    }
    this.#type = '';
    this.#id = null;
    this.#data = [];
    this.#dataLength = 0;
  }
}
