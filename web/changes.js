// The last changes of owners, as the event stream told them, and what they mean for answers that are older. Pure.
//
// A change arrives at once, but the server keeps answers for a second. Without this the page would show the new owner, then
// the old one again, and then the new one.

const KEPT_MAX = 300;

export class Changes {
  #list = [];

  // Newest first.
  get list() {
    return this.#list;
  }

  add(change) {
    this.#list.unshift(change);
    if (this.#list.length > KEPT_MAX) this.#list.length = KEPT_MAX;
  }

  clear() {
    this.#list = [];
  }

  // Oldest first, those of a kind that an answer from `at` cannot know.
  since(kind, at) {
    return this.#list.filter((change) => change.kind === kind && change.at_ms > at).reverse();
  }

  // Rows of sessions, locks or elections, with the owners that they have had since the answer.
  applyToRows(kind, rows, at, nameOf) {
    const newest = new Map(this.since(kind, at).map((change) => [change.name, change]));
    if (newest.size === 0) return rows;
    return rows.map((row) => {
      const change = newest.get(nameOf(row));
      if (!change || (change.owner === row.owner && change.token === row.token)) return row;
      const state = change.owner === null ? 'free' : 'held';
      return { ...row, owner: change.owner, token: change.token, state, left_ms: null };
    });
  }

  applyToLanes(kind, lanes, at) {
    const changes = this.since(kind, at);
    if (changes.length === 0) return lanes;
    const byName = groupByName(changes);
    return lanes.map((lane) => {
      const own = byName.get(lane.name);
      return own ? { ...lane, spans: own.reduce(withChange, lane.spans) } : lane;
    });
  }
}

function groupByName(changes) {
  const groups = new Map();
  for (const change of changes) {
    if (!groups.has(change.name)) groups.set(change.name, []);
    groups.get(change.name).push(change);
  }
  return groups;
}

// Ends the span that lasts, and begins the one of the new owner.
export function withChange(spans, change) {
  const last = spans.at(-1);
  const lasts = last !== undefined && last.to_ms === null;
  if (lasts && last.owner === change.owner && last.token === change.token) return spans;
  const result = lasts ? [...spans.slice(0, -1), { ...last, to_ms: change.at_ms, to_min_ms: change.at_min_ms }] : [...spans];
  if (change.owner !== null) {
    const { owner, token, at_ms, at_min_ms } = change;
    result.push({ owner, token, from_ms: at_ms, from_min_ms: at_min_ms, to_ms: null, to_min_ms: null });
  }
  return result;
}
