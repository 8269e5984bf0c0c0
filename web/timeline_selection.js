// Which piece of the timeline the keyboard is at. Pure: `lanes` is {count, items(index)}.

export class Selection {
  #at = null;

  clear() {
    this.#at = null;
  }

  set(lane, item) {
    this.#at = { lane, key: item.key };
  }

  // {lane, item}, or null. A piece that is not there any more gives way to the newest one of its lane.
  get(lanes) {
    if (this.#at === null || this.#at.lane >= lanes.count) return null;
    const items = lanes.items(this.#at.lane);
    const item = items.find(({ key }) => key === this.#at.key) ?? items.at(-1);
    return item ? { lane: this.#at.lane, item } : null;
  }

  // Up and down lead to what was there at the same time; the first step leads to what is there at `time`.
  move({ lanes: down, items: right }, lanes, time) {
    if (lanes.count === 0) return;
    const from = this.get(lanes);
    const lane = Math.min(Math.max((from?.lane ?? 0) + down, 0), lanes.count - 1);
    const items = lanes.items(lane);
    if (items.length === 0) return;
    if (from === null || lane !== from.lane) {
      const moment = from ? Math.min(from.item.to, time) : time;
      this.set(lane, items.findLast((item) => item.from < moment) ?? items[0]);
      return;
    }
    const index = items.findIndex(({ key }) => key === from.item.key) + right;
    this.set(lane, items[Math.min(Math.max(index, 0), items.length - 1)]);
  }

  toEdge(first, lanes) {
    const lane = this.#at?.lane ?? 0;
    const item = lane < lanes.count ? lanes.items(lane).at(first ? 0 : -1) : undefined;
    if (item) this.set(lane, item);
  }
}
