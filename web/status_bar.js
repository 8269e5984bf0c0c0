// The two chips at the top: are the nodes healthy, and is what the page shows current? Everything else depends on that
// answer, so a page that is not current also says so in a banner. Screen readers hear of a change once, not of every second
// that passes.

import { setAttribute, setHidden, setText } from './dom.js';
import { ago, moment } from './format.js';
import { ended, sentence } from './notice.js';
import { statusOf } from './overview_nodes.js';

// A page that comes back to the front is stale for a moment; that is not worth an interruption.
const ANNOUNCE_AFTER = 1_500;

export class StatusBar {
  #health = document.getElementById('health');
  #chip = document.getElementById('freshness');
  #text = document.getElementById('freshness-text');
  #banner = document.getElementById('banner');
  #announcer = document.getElementById('announcer');
  #announced = 'live';
  #differsSince = null;
  #status = null;

  announce(text) {
    setText(this.#announcer, text);
  }

  showNodes(nodes) {
    const { level, text } = statusOf(nodes);
    setAttribute(this.#health, 'data-level', level);
    setText(this.#health, `Nodes: ${text}, ${nodes.healthy_nodes}/${nodes.nodes.length}`);
    if (this.#status !== null && this.#status !== nodes.status) this.announce(`The nodes are ${text} now.`);
    this.#status = nodes.status;
  }

  showFreshness({ level, since, why }, now) {
    setAttribute(this.#chip, 'data-level', level);
    setText(this.#text, { connecting: 'Connecting', live: 'Live', polling: 'Every 5 s', stale: 'Stale' }[level]);
    setAttribute(this.#chip, 'title', since === null ? null : `last look at ${moment(since, now)}`);
    setHidden(this.#banner, level === 'live' || level === 'connecting');
    setAttribute(this.#banner, 'data-level', level);
    setAttribute(document.body, 'data-stale', level === 'stale' ? '' : null);
    if (level === 'stale') setText(this.#banner, staleText(since, why, now));
    if (level === 'polling') setText(this.#banner, `${sentence(why)} Until there is room, the page asks every 5 seconds.`);
    this.#announceLevel(level, why);
  }

  #announceLevel(level, why) {
    const said = level === 'stale' ? 'stale' : 'live';
    if (said === this.#announced) {
      this.#differsSince = null;
      return;
    }
    this.#differsSince ??= performance.now();
    if (performance.now() - this.#differsSince < ANNOUNCE_AFTER) return;
    this.#announced = said;
    this.announce(said === 'stale' ? `What the page shows is stale: ${why}` : 'The page is current again.');
  }
}

// Pure.
export function staleText(since, why, now) {
  if (since === null) return `Nothing has been seen yet: ${ended(why)}`;
  return `Stale since ${moment(since, now)} (${ago(now - since)}): ${ended(why)} Nothing below is newer than that.`;
}
