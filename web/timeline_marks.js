// Turns the spans of a lane into what is drawn: who had it from when to when, and the gaps in which nobody had it. Pure.

import { toX } from './timeline_scale.js';

// What is closer together than this cannot be told apart, and is drawn as one mark that says how much is in it.
const APART = 3;

// The spans and gaps of a lane, oldest first, as {type, key, from, to, …}. `since` is where knowledge begins: earlier spans
// were not recorded, or not asked for.
export function laneItems(spans, since, now) {
  const items = [];
  spans.forEach((span, index) => {
    const next = spans[index + 1];
    const previous = items.at(-1);
    const item = spanItem(span, next, now);
    const before = previous ? previous.to : since;
    // Whoever had it when the record began may have had it for long: nothing is known of the time before.
    const known = previous || !item.fromUnknown;
    if (known && item.from > before) items.push(gapItem(previous, before, span, item));
    items.push(item);
  });
  const last = items.at(-1);
  if (!last)
    return since < now ? [{ type: 'gap', key: 'gap', from: since, to: now, before: null, after: null, lasts: true }] : [];
  if (!last.lasts && last.to < now) items.push(gapItem(last, last.to, null, { from: now }));
  return items;
}

function spanItem(span, next, now) {
  // A look sees an old owner's end later than the new owner's token tells its beginning. The end cannot be later than that.
  const end = Math.min(span.to_ms ?? Math.max(now, span.from_ms), next?.from_ms ?? Infinity);
  return {
    type: 'span',
    key: `${span.token ?? span.from_ms} ${span.owner}`,
    owner: span.owner,
    token: span.token,
    from: span.from_ms,
    fromMin: Math.min(span.from_min_ms ?? span.from_ms, span.from_ms),
    fromUnknown: span.from_min_ms === null,
    to: Math.max(end, span.from_ms),
    toMin: Math.max(Math.min(span.to_min_ms ?? end, end), span.from_ms),
    lasts: span.to_ms === null && !next,
  };
}

function gapItem(previous, from, span, item) {
  return {
    type: 'gap',
    key: `gap ${previous?.key ?? ''}`,
    from,
    to: item.from,
    // How long nobody had it: between the last that is certain and the first that is possible, and the other way round.
    least: Math.max(0, (span ? item.fromMin : item.from) - from),
    most: item.from - (previous?.toMin ?? from),
    before: previous?.owner ?? null,
    after: span?.owner ?? null,
    lasts: span === null,
    openStart: !previous,
  };
}

// What to draw in a window that is `width` pixels wide: items with their place, and clusters of those that are too small.
export function marksOf(items, window, width) {
  const marks = [];
  for (const item of items) {
    if (item.to < window.from || (item.fromMin ?? item.from) > window.to) continue;
    const x = toX(item.from, window, width);
    const end = toX(item.to, window, width);
    const last = marks.at(-1);
    if (end - x < APART && last?.small && end - last.x < 2 * APART) {
      marks[marks.length - 1] = joined(last, item, end);
    } else {
      marks.push({ key: item.key, type: item.type, item, x, end, small: end - x < APART, count: 1 });
    }
  }
  return marks;
}

function joined(mark, item, end) {
  const count = mark.count + 1;
  return {
    key: `cluster ${mark.item.key}`,
    type: 'cluster',
    item: mark.item,
    x: mark.x,
    end: Math.max(end, mark.end),
    small: true,
    count,
  };
}

// The item at a moment; small ones can be hit within `reach` milliseconds. Those win over the large ones around them.
export function itemAt(items, time, reach) {
  let best = null;
  for (const item of items) {
    const distance = Math.max(item.from - time, time - item.to, 0);
    if (distance > reach) continue;
    const score = item.to - item.from < 2 * reach ? 0 : distance > 0 ? 2 : 1;
    if (best === null || score < best.score || (score === best.score && distance < best.distance))
      best = { item, score, distance };
  }
  return best?.item ?? null;
}
