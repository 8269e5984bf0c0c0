// A Redis, a fleet and a `tenure web` of their own for each test, in a directory of their own.

import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { Processes } from './processes.mjs';
import { freePort, Redis } from './redis.mjs';
import { until } from './wait.mjs';

const tenure = process.env.TENURE ?? 'tenure';
const INSTANCES = ['web-1', 'web-2', 'web-3'];
// A short lease makes a take-over quick. On a busy machine an instance may lose it; where a test wants no take-over, leases
// last as long as it does.
const SHORT = ['--ttl', '3s'];
export const STEADY = ['--ttl', '60s', '--renew', '1s'];

export class World {
  processes = new Processes();
  directory = mkdtempSync(path.join(os.tmpdir(), 'tenure-web-'));
  nodes = [new Redis(this.processes, this.directory)];
  instances = new Map();
  web = null;
  url = null;
  #target = null;

  // The first node, which has the sessions, too.
  get redis() {
    return this.nodes[0];
  }

  get environment() {
    return { TENURE_REDIS: this.nodes.map(({ url }) => url).join(','), TENURE_LOG_FORMAT: 'text' };
  }

  // Several nodes, on ports, instead of one on a Unix socket.
  async useNodes(number) {
    this.nodes = [];
    while (this.nodes.length < number) this.nodes.push(new Redis(this.processes, this.directory, await freePort()));
  }

  run(...words) {
    return this.processes.run(tenure, words, this.environment);
  }

  start(...words) {
    return this.processes.start(tenure, words, this.environment);
  }

  async startRedis() {
    for (const node of this.nodes) await node.start();
    await this.run('init');
  }

  // Port 0 takes a free port; a web that is started again takes the one it had.
  async startWeb(...options) {
    const port = this.url === null ? 0 : new URL(this.url).port;
    this.web = this.start('web', '--http', `127.0.0.1:${port}`, ...options);
    this.url = await until('tenure web says where it serves', () => {
      if (this.web.exitCode !== null) throw new Error(`tenure web ended: ${this.web.said}`);
      return this.web.said.match(/serving (http:\S+)/)?.[1];
    });
  }

  // Something to poll. What it answers depends on the path: /ok, /fail/TEXT.
  async startTarget() {
    this.#target = http.createServer((request, response) => {
      const [, kind] = request.url.split('/');
      response.statusCode = kind === 'fail' ? 503 : 200;
      response.end(decodeURIComponent(request.url.slice(kind.length + 2)) || 'fine');
    });
    await new Promise((resolve) => {
      this.#target.listen(0, '127.0.0.1', resolve);
    });
    return `http://127.0.0.1:${this.#target.address().port}`;
  }

  addSession(id, address) {
    return this.redis.command('SET', `session:${id}`, JSON.stringify({ address, interval_ms: 4000, paused: false }));
  }

  startInstance(id, ...options) {
    const lease = options.includes('--ttl') ? [] : SHORT;
    this.instances.set(id, this.start('poll', '--id', id, ...lease, ...options));
  }

  // Three instances, and nine sessions that they share.
  async startFleet(...options) {
    await this.startRedis();
    const target = await this.startTarget();
    this.sessions = Array.from({ length: 9 }, (_, i) => `shop-${i + 1}`);
    for (const id of this.sessions) await this.addSession(id, `${target}/ok`);
    for (const id of INSTANCES) this.startInstance(id, ...options);
    await until('every instance owns three sessions', async () => {
      const owners = await Promise.all(this.sessions.map((id) => this.redis.ownerOf(id)));
      return INSTANCES.every((id) => owners.filter((owner) => owner === id).length === 3);
    });
  }

  async end() {
    await this.processes.end();
    for (const node of this.nodes) node.close();
    this.#target?.closeAllConnections();
    this.#target?.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
