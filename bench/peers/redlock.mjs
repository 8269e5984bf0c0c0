// node-redlock as a peer of the benchmark: redlock.mjs SOCKET [SOCKET SOCKET]. bench/peer.hpp says how it is spoken to.
//
// redlock 5.0.0-beta.2 is what its README describes; "latest" is still 4.2.0, which does the same work a little slower.
// ioredis 5 runs on every Node from 12 on and is no slower here than 6, which needs Node 20.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import Redis from "ioredis";
import Redlock, { ExecutionError } from "redlock";

const ttl = 30_000; // milliseconds
const ttlHeld = 60_000;
const window = 500; // renewals under way at once: fewer or all at once are slower, and so is auto-pipelining
const sockets = process.argv.slice(2);

// Retries are at their defaults: up to 10, about 200 ms apart. Auto-pipelining makes one write of what many callers ask
// in one turn of the event loop: 64 callers gain by it, one alone would lose a third of its speed.
const redlockWith = (options) => new Redlock(sockets.map((path) => new Redis({ path, ...options })));
const redlockAlone = redlockWith({ enableAutoPipelining: false });
const redlockShared = redlockWith({ enableAutoPipelining: true });

const seconds = () => performance.now() / 1_000;
const times = (count, work) => Promise.all(Array.from({ length: count }, (_, i) => work(i)));

async function timed(work) {
  const used = process.cpuUsage();
  const begun = seconds();
  await work();
  const took = seconds() - begun;
  const { user, system } = process.cpuUsage(used);
  return `done ${took} ${(user + system) / 1e6}`;
}

function cycle(callers, rounds) {
  const redlock = callers > 1 ? redlockShared : redlockAlone;
  return timed(() =>
    times(callers, async (caller) => {
      for (let i = 0; i < rounds; ++i) {
        const lock = await redlock.acquire([`cycle:${caller}`], ttl);
        await lock.release();
      }
    }),
  );
}

// What is seen of the hand-overs of one name, by whoever takes part.
class Watch {
  constructor(participants, wanted) {
    this.wanted = wanted;
    this.passing = participants;
    this.waiting = []; // the one that called acquire first is first
    this.owned = Array(participants).fill(0);
    this.latencies = [];
    this.inOrder = 0;
    this.changed = [];
  }
  get ended() {
    return this.latencies.length >= this.wanted;
  }
  asks(who) {
    this.waiting.push(who);
  }
  owns(who) {
    const now = performance.now();
    const first = this.waiting[0] === who;
    this.waiting.splice(this.waiting.indexOf(who), 1);
    if (this.ended) return;
    this.owner = who;
    for (const wake of this.changed.splice(0)) wake();
    // All asked at the same moment first: until each could have had its turn no order could be kept.
    if (this.passing-- > 0) return;
    this.latencies.push(now - this.released);
    this.inOrder += first ? 1 : 0;
    this.owned[who] += 1;
  }
  releases() {
    this.released = performance.now();
  }
  async otherThan(who) {
    while (this.owner === who && !this.ended) await new Promise((wake) => this.changed.push(wake));
  }
  answer() {
    const sum = this.owned.reduce((all, each) => all + each, 0);
    const squares = this.owned.reduce((all, each) => all + each * each, 0);
    const jain = (sum * sum) / (this.owned.length * squares);
    return `done ${this.latencies.join(" ")} | ${this.inOrder / this.latencies.length} | ${jain}`;
  }
}

// After its last retry a caller would ask again; it has waited since it first asked.
async function acquireAtLast(name) {
  for (;;) {
    try {
      return await redlockAlone.acquire([name], ttl);
    } catch (error) {
      if (!(error instanceof ExecutionError)) throw error;
    }
  }
}

async function handOver(waiters, wanted, aside) {
  const watch = new Watch(waiters + 1, wanted);
  await times(waiters + 1, async (who) => {
    while (!watch.ended) {
      watch.asks(who);
      const lock = await acquireAtLast("hand-over");
      watch.owns(who);
      if (!watch.ended) await sleep(1);
      watch.releases();
      await lock.release();
      if (aside) await watch.otherThan(who);
    }
  });
  return watch.answer();
}

let held = [];

async function inWindows(items, work) {
  for (let from = 0; from < items.length; from += window) {
    await Promise.all(items.slice(from, from + window).map(work));
  }
}

async function hold(count) {
  held = Array(count);
  await inWindows([...held.keys()], async (i) => {
    held[i] = await redlockAlone.acquire([`held:${i}`], ttlHeld);
  });
  return "done";
}

const renew = () =>
  timed(() =>
    inWindows([...held.keys()], async (i) => {
      held[i] = await held[i].extend(ttlHeld);
    }),
  );

async function drop() {
  await inWindows(held, (lock) => lock.release());
  held = [];
  return "done";
}

async function answer([word, first, second, third]) {
  switch (word) {
    case "cycle":
      return cycle(Number(first), Number(second));
    case "handover":
      return handOver(Number(first), Number(second), third === "aside");
    case "hold":
      return hold(Number(first));
    case "renew":
      return renew();
    case "drop":
      return drop();
    default:
      return "unsupported";
  }
}

try {
  const require = createRequire(import.meta.url);
  const version = (name) => `${name} ${require(`${name}/package.json`).version.replace(/^v/, "")}`;
  await times(1, async () => (await redlockAlone.acquire(["ready"], ttl)).release());
  console.log(`ready redlock 5.0.0-beta.2, ${version("ioredis")}, node ${process.version}`);
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === "quit") break;
    console.log(await answer(line.split(" ")));
  }
  process.exit(0);
} catch (error) {
  console.log(`error ${String(error.message).replaceAll("\n", " ")}`);
  process.exit(1);
}
