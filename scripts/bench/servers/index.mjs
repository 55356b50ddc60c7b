// Measures servers: the CPU time per request, with all servers running at once and taking turns, so that a slow moment
// of the machine affects them all alike.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { cases } from '../cases.mjs';
import { ask, openConnections } from './client.mjs';

const own = join(import.meta.dirname, '../../..');
const CONNECTIONS = 10;
const size = {
  full: { warmUp: 6000, requests: 2000, rounds: 11 },
  quick: { warmUp: 2000, requests: 1000, rounds: 5 },
};
const NS_PER_US = 1000;

/**
 * Starts a program in a process of its own, which sends its port when it listens.
 * @param {import('node:child_process').ForkOptions} [options]
 * @throws Error if it ends before
 */
export async function forkServer(program, args, options) {
  const child = fork(program, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], ...options });
  const [port] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error(`The server ${args.join(' ')} has ended.`))),
  ]);
  return { child, port };
}

class Server {
  /**
   * @param {import('node:child_process').ChildProcess} child
   * @param {readonly import('node:net').Socket[]} sockets
   */
  constructor(child, sockets) {
    this.child = child;
    this.sockets = sockets;
  }

  static async start(framework, variant, root) {
    const program = join(root, 'scripts/bench/servers/server.mjs');
    const { child, port } = await forkServer(program, [framework, variant]);
    return new Server(child, await openConnections(port, CONNECTIONS));
  }

  /** Nanoseconds per request. */
  async round(requests) {
    const before = await this.#cpuTime();
    await ask(this.sockets, requests);
    return (((await this.#cpuTime()) - before) * NS_PER_US) / requests;
  }

  async end() {
    for (const socket of this.sockets) socket.destroy();
    this.child.send('close');
    const [code] = await once(this.child, 'exit');
    if (code !== 0) throw new Error(`A server ended with status ${code}.`);
  }

  async #cpuTime() {
    const answered = once(this.child, 'message');
    this.child.send('cpu');
    return (await answered)[0];
  }
}

/**
 * The servers of one framework, of each checkout.
 * @param {readonly (string | undefined)[]} [roots] the default is this checkout; another one's server that cannot start,
 * because it lacks what the variant needs, is left out
 * @returns {Promise<Record<string, number[][]>[]>} for each checkout, the nanoseconds of each round, each in a separate
 * list, by case
 */
export async function measureFramework(cases, { warmUp, requests, rounds }, roots = [undefined]) {
  const servers = [];
  for (const { id, server } of cases) {
    for (const [checkout, root] of roots.entries()) {
      try {
        const started = await Server.start(server.framework, server.variant, root ?? own);
        servers.push({ checkout, id, server: started, rounds: [] });
      } catch (error) {
        if (root === undefined) throw error;
      }
    }
  }
  for (const { server } of servers) await server.round(warmUp);
  for (let round = 0; round < rounds; round++) {
    for (const each of servers) each.rounds.push(await each.server.round(requests));
  }
  for (const { server } of servers) await server.end();
  const found = roots.map(() => ({}));
  for (const { checkout, id, rounds } of servers) found[checkout][id] = [rounds];
  return found;
}

/**
 * @param {{ quick: boolean, progress: (text: string) => void, isAsked: (group: string) => boolean, roots?: (string | undefined)[] }} options
 * `roots` are checkouts to measure in turns; the default is this one
 * @returns {Promise<Record<string, number[][]>[]>} for each checkout, the rounds of each process, by case
 */
export async function measureServers({ quick, progress, isAsked, roots = [undefined] }) {
  const ofServers = cases.filter(({ server, group }) => server !== undefined && isAsked(group));
  /** @param {import('../cases.mjs').Case} each */
  const setOf = ({ group, server }) => `${group}: ${server?.framework}`;
  const processes = roots.map(() => ({}));
  for (const set of new Set(ofServers.map(setOf))) {
    progress(set);
    const ofSet = ofServers.filter((each) => setOf(each) === set);
    const found = await measureFramework(ofSet, size[quick ? 'quick' : 'full'], roots);
    for (const [i, rounds] of found.entries()) Object.assign(processes[i], rounds);
  }
  return processes;
}
