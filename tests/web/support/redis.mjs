// A private redis-server, and a client that knows just enough of its protocol.

import net from 'node:net';
import path from 'node:path';
import { until } from './wait.mjs';

class Connection {
  #socket;
  #buffer = Buffer.alloc(0);
  #waiting = [];

  constructor(place) {
    this.#socket = net.connect(place);
    this.#socket.on('data', (data) => this.#take(data));
    this.#socket.on('error', (error) => this.#waiting.splice(0).forEach(({ reject }) => reject(error)));
  }

  command(...words) {
    const parts = words.map((word) => `$${Buffer.byteLength(String(word))}\r\n${word}\r\n`);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#socket.write(`*${words.length}\r\n${parts.join('')}`);
    });
  }

  close() {
    this.#socket.destroy();
  }

  #take(data) {
    this.#buffer = Buffer.concat([this.#buffer, data]);
    for (;;) {
      const reply = parse(this.#buffer, 0);
      if (reply === null) return;
      this.#buffer = this.#buffer.subarray(reply.end);
      const { resolve, reject } = this.#waiting.shift();
      if (reply.value instanceof Error) reject(reply.value);
      else resolve(reply.value);
    }
  }
}

// {value, end}, or null if the reply is not complete.
function parse(buffer, start) {
  const line = buffer.indexOf('\r\n', start);
  if (line < 0) return null;
  const text = buffer.toString('utf8', start + 1, line);
  const end = line + 2;
  switch (String.fromCharCode(buffer[start])) {
    case '+':
      return { value: text, end };
    case '-':
      return { value: new Error(text), end };
    case ':':
      return { value: Number(text), end };
    case '$':
      return parseText(buffer, end, Number(text));
    default:
      return parseList(buffer, end, Number(text));
  }
}

function parseText(buffer, start, length) {
  if (length < 0) return { value: null, end: start };
  if (buffer.length < start + length + 2) return null;
  return { value: buffer.toString('utf8', start, start + length), end: start + length + 2 };
}

function parseList(buffer, start, length) {
  const value = [];
  let end = start;
  for (let i = 0; i < length; i += 1) {
    const item = parse(buffer, end);
    if (item === null) return null;
    value.push(item.value);
    end = item.end;
  }
  return { value, end };
}

// A port that nobody listens on now.
export function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

export class Redis {
  #processes;
  #directory;
  #port;
  #connection = null;
  #server = null;

  // Without a port it listens on a Unix socket in the directory.
  constructor(processes, directory, port = 0) {
    this.#processes = processes;
    this.#directory = directory;
    this.#port = port;
  }

  get #file() {
    return path.join(this.#directory, 'redis.sock');
  }

  get url() {
    return this.#port === 0 ? `unix://${this.#file}` : `redis://127.0.0.1:${this.#port}`;
  }

  async start() {
    const socket = this.#port === 0 ? ['--unixsocket', this.#file] : ['--bind', '127.0.0.1'];
    this.#server = this.#processes.start('redis-server', [
      '--port',
      this.#port,
      ...socket,
      '--save',
      '',
      '--appendonly',
      'no',
      '--dir',
      this.#directory,
    ]);
    await until('Redis answers', () => this.#tryToConnect());
  }

  async #tryToConnect() {
    const connection = new Connection(this.#port === 0 ? { path: this.#file } : { port: this.#port, host: '127.0.0.1' });
    try {
      await connection.command('PING');
      this.#connection = connection;
      return true;
    } catch {
      connection.close();
      return false;
    }
  }

  command(...words) {
    return this.#connection.command(...words);
  }

  // Who owns a session, by its lease: the value is OWNER#NONCE#TOKEN.
  async ownerOf(session) {
    const lease = await this.command('GET', `poll:lease:${session}`);
    return lease === null ? null : lease.split('#')[0];
  }

  suspend() {
    this.#server.kill('SIGSTOP');
  }

  resume() {
    this.#server.kill('SIGCONT');
  }

  close() {
    this.#connection?.close();
  }
}
