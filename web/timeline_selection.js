// Which piece of the timeline the keyboard is at. Pure: `lanes` is {keys, items(index)}.
//
// It keeps the key of the lane, not its index: lanes come and go while it stays.

export class Selection {
  #at = null;

  clear() {
    this.#at = null;
  }

  // `lane` is the key of one.
  set(lane, item) {
    this.#at = { lane, key: item.key };
  }

  // {lane: index, item}, or null. A piece that is not there any more gives way to the newest one of its lane.
  get(lanes) {
    const lane = this.#at === null ? -1 : lanes.keys.indexOf(this.#at.lane);
    if (lane < 0) return null;
    const items = lanes.items(lane);
    const item = items.find(({ key }) => key === this.#at.key) ?? items.at(-1);
    return item ? { lane, item } : null;
  }

  // Up and down lead to what was there at the same time; the first step leads to what is there at `time`.
  move({ lanes: down, items: right }, lanes, time) {
    if (lanes.keys.length === 0) return;
    const from = this.get(lanes);
    const lane = Math.min(Math.max((from?.lane ?? 0) + down, 0), lanes.keys.length - 1);
    const items = lanes.items(lane);
    if (items.length === 0) return;
    if (from === null || lane !== from.lane) {
      const moment = from ? Math.min(from.item.to, time) : time;
      this.set(lanes.keys[lane], items.findLast((item) => item.from < moment) ?? items[0]);
      return;
    }
    const index = items.findIndex(({ key }) => key === from.item.key) + right;
    this.set(lanes.keys[lane], items[Math.min(Math.max(index, 0), items.length - 1)]);
  }

  toEdge(first, lanes) {
    if (lanes.keys.length === 0) return;
    const lane = this.get(lanes)?.lane ?? 0;
    const item = lanes.items(lane).at(first ? 0 : -1);
    if (item) this.set(lanes.keys[lane], item);
  }
}
