// Every process that a test has started, so that it is ended by its pid, however the test ends.

import { spawn } from 'node:child_process';

export class Processes {
  #children = new Set();

  // The child has `said`, all that it wrote so far, and `ended`, a promise.
  start(program, words, environment = {}) {
    const child = spawn(program, words, { env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] });
    child.said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8');
      // Only the last lines are of interest, when something goes wrong.
      stream.on('data', (text) => {
        child.said = (child.said + text).slice(-20_000);
      });
    }
    child.ended = new Promise((resolve) => {
      child.on('exit', (code, signal) => resolve(code ?? signal));
      child.on('error', (error) => resolve(error.message));
    });
    child.ended.then(() => this.#children.delete(child));
    this.#children.add(child);
    return child;
  }

  async run(program, words, environment) {
    const child = this.start(program, words, environment);
    const code = await child.ended;
    if (code !== 0) throw new Error(`${program} ${words.join(' ')} ended with ${code}: ${child.said}`);
    return child.said;
  }

  async end() {
    const children = [...this.#children];
    // A process that was suspended would not see the signal.
    for (const child of children) child.kill('SIGCONT');
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(children.map(({ ended }) => ended));
  }
}
