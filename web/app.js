// Starts the page: shows the view that the address asks for, and lets the event stream drive it.

import { Api } from './api.js';
import { Changes } from './changes.js';
import { ServerClock } from './clock.js';
import { OwnerColours } from './colours.js';
import { el, setAttribute } from './dom.js';
import { Events } from './events.js';
import { FleetPicker } from './fleet_picker.js';
import { Freshness } from './freshness.js';
import { createElections, createLocks } from './leases.js';
import { Overview } from './overview.js';
import { Refresher } from './refresh.js';
import { formatRoute, parseRoute, VIEWS } from './route.js';
import { createSessions } from './sessions.js';
import { StatusBar } from './status_bar.js';
import { EventStream } from './stream.js';
import { Timeline } from './timeline.js';
import { TokenPrompt } from './token_prompt.js';

const CREATE = {
  overview: (context) => new Overview(context),
  sessions: createSessions,
  locks: createLocks,
  elections: createElections,
  timeline: (context) => new Timeline(context),
  events: (context) => new Events(context),
};
const TITLES = {
  overview: 'Overview',
  sessions: 'Sessions',
  locks: 'Locks',
  elections: 'Elections',
  timeline: 'Timeline',
  events: 'Events',
};
// The doctor's questions cost the nodes more than those about leases.
const NODES_APART = 4_000;
const FLEETS_APART = 20_000;
const TICK = 100;
const COUNT_DOWN = 250;

class App {
  #clock = new ServerClock();
  #changes = new Changes();
  #colours = new OwnerColours();
  #freshness = new Freshness();
  #bar = new StatusBar();
  #prompt = new TokenPrompt(() => this.#wake());
  #api = new Api((hadToken) => this.#askForToken(hadToken));
  #picker = new FleetPicker((fleet) => this.#context.adjust({ fleet, page: null, q: null }));
  #main = document.getElementById('main');
  #health = document.getElementById('health');
  #motion = matchMedia('(prefers-reduced-motion: reduce)');
  #tabs = new Map();
  #view = null;
  #route = parseRoute(location.hash);
  #nodes = null;
  #fleetName = null;
  #openedAt = null;
  #changeCount = 0;
  #rendering = false;
  #ticking = null;
  #ticked = 0;

  #refresher = new Refresher((signal) => this.#view.load(signal));
  #nodesRefresher = new Refresher((signal) => this.#loadNodes(signal), NODES_APART);
  #fleetsRefresher = new Refresher((signal) => this.#loadFleets(signal), FLEETS_APART);
  #stream = new EventStream({
    open: (headers, signal) => this.#api.open('events', { fleet: this.#route.parameters.fleet }, headers, signal),
    onEvent: (type, data) => this.#onEvent(type, data),
    onBreak: (error) => this.#freshness.onBreak(error),
  });

  // What the views may use.
  #context = {
    api: this.#api,
    changes: this.#changes,
    colours: this.#colours,
    // While the page is stale its clock stands still: a countdown that went on would be a guess.
    now: () => {
      const now = this.#clock.now();
      const { level, since } = this.#freshness.at(now);
      return level === 'stale' && since !== null ? Math.min(since, now) : now;
    },
    calm: () => this.#motion.matches,
    nodes: () => this.#nodes,
    openedAt: () => this.#openedAt ?? this.#clock.now(),
    route: () => this.#route,
    refresh: () => this.#refresher.now(),
    answered: (answer) => {
      this.#freshness.onAnswer(answer.at_ms);
      if (answer.fleet) this.#fleetName = answer.fleet;
    },
    adjust: (parameters) => {
      const merged = { ...this.#route.parameters, ...parameters };
      history.replaceState(null, '', formatRoute({ view: this.#route.view, parameters: merged }));
      this.#navigate();
    },
  };

  start() {
    for (const view of VIEWS) this.#tabs.set(view, el('a', {}, TITLES[view]));
    document.getElementById('tabs').append(...this.#tabs.values());
    document.querySelector('.skip').addEventListener('click', (event) => {
      event.preventDefault();
      this.#main.focus();
    });
    addEventListener('hashchange', () => this.#navigate());
    document.addEventListener('visibilitychange', () => (document.hidden ? this.#sleep() : this.#wake()));
    this.#navigate();
    this.#wake();
  }

  #navigate() {
    const before = this.#route;
    this.#route = parseRoute(location.hash);
    const { view, parameters } = this.#route;
    for (const [name, tab] of this.#tabs) {
      setAttribute(tab, 'href', formatRoute({ view: name, parameters: { fleet: parameters.fleet } }));
      setAttribute(tab, 'aria-current', name === view ? 'page' : null);
    }
    setAttribute(this.#health, 'href', formatRoute({ view: 'overview', parameters: { fleet: parameters.fleet } }));
    // A view that was left begins anew: what it had is old, and the address says how it looked.
    if (this.#view === null || before.view !== view) {
      this.#view = CREATE[view](this.#context);
      this.#main.replaceChildren(el('h1', { class: 'unseen' }, TITLES[view]), this.#view.element);
      document.title = `${TITLES[view]} · Tenure`;
    }
    if (before.parameters.fleet !== parameters.fleet) this.#changeFleet();
    this.#view.show(parameters);
    this.#refresher.now();
  }

  #changeFleet() {
    this.#changes.clear();
    this.#fleetName = this.#route.parameters.fleet ?? null;
    this.#fleetsRefresher.now();
    this.#stream.stop();
    this.#stream.forget();
    // The views begin anew, and none shows anything old.
    this.#freshness = new Freshness();
    if (!document.hidden && !this.#prompt.open) this.#stream.start();
  }

  #wake() {
    if (document.hidden || this.#prompt.open) return;
    this.#stream.start();
    for (const refresher of [this.#refresher, this.#nodesRefresher, this.#fleetsRefresher]) refresher.resume();
    this.#ticking ??= setInterval(() => this.#tick(), TICK);
    this.#tick();
  }

  // Nobody looks: no request, no stream, no timer. A browser also has few connections to a server, and other tabs need them.
  #sleep() {
    this.#stream.stop();
    this.#freshness.onPause();
    for (const refresher of [this.#refresher, this.#nodesRefresher, this.#fleetsRefresher]) refresher.pause();
    clearInterval(this.#ticking);
    this.#ticking = null;
  }

  #askForToken(hadToken) {
    this.#sleep();
    this.#prompt.ask(hadToken);
  }

  #tick() {
    const now = this.#clock.now();
    this.#bar.showFreshness(this.#freshness.at(now), now);
    // Figures that count down are read, not watched; only the timeline moves.
    if (this.#view.moves || performance.now() - this.#ticked >= COUNT_DOWN) {
      this.#ticked = performance.now();
      this.#view.tick(this.#context.now());
    }
  }

  #onEvent(type, data) {
    if (type === 'hello') this.#onHello(data);
    else if (type === 'look') this.#onLook(data);
    else if (type === 'change' || type === 'many') this.#onChange(type, data);
    else if (type === 'reset') {
      this.#changes.clear();
      this.#refresher.soon();
    }
    this.#tick();
  }

  #onHello({ at_ms }) {
    this.#clock.sample(at_ms);
    this.#openedAt ??= at_ms;
    this.#freshness.onHello();
  }

  #onLook(look) {
    this.#clock.sample(look.at_ms);
    this.#freshness.onLook(look);
    if (look.error !== null) {
      this.#view.explain(look.error);
    } else {
      this.#refresher.soon();
      this.#nodesRefresher.soon();
      this.#fleetsRefresher.soon();
    }
  }

  #onChange(type, data) {
    this.#changeCount += 1;
    this.#changes.add({ kind: type, ...data, key: this.#changeCount });
    // What is under way goes on: if many follow each other closely, nothing would ever be loaded.
    if (type === 'many') this.#refresher.soon();
    // A hand-over of many sessions arrives as many events at once, and is drawn once.
    if (this.#rendering) return;
    this.#rendering = true;
    requestAnimationFrame(() => {
      this.#rendering = false;
      this.#view.render();
    });
  }

  async #loadNodes(signal) {
    try {
      this.#nodes = await this.#api.get('nodes', {}, signal);
      this.#bar.showNodes(this.#nodes);
      this.#view.showNodes?.();
    } catch {
      // The event stream and the view say what is wrong; the last known health stays beside "stale".
    }
  }

  async #loadFleets(signal) {
    try {
      const { fleets } = await this.#api.get('fleets', {}, signal);
      // The fleet of the command line has no name in the address; an answer about it has.
      if (this.#fleetName === null && fleets.length > 1) {
        this.#fleetName = (await this.#api.get('fleet', { fleet: this.#route.parameters.fleet }, signal)).fleet;
      }
      this.#picker.update(fleets, this.#route.parameters.fleet ?? this.#fleetName);
    } catch {
      // Without the list the page shows the fleet of the command line.
    }
  }
}

new App().start();
