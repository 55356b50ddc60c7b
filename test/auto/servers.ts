/** Real database servers from Debian, each on a free loopback port with its own data. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isRequired } from '../../scripts/lib/require.mjs';
import { freePort } from '../child/free-port.mjs';

/** Debian has PostgreSQL's programs in a folder for each version. */
const postgresql = existsSync('/usr/lib/postgresql')
  ? readdirSync('/usr/lib/postgresql').map((version) => join('/usr/lib/postgresql', version, 'bin'))
  : [];
const folders = [...postgresql, ...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
const find = (name: string) => folders.map((folder) => join(folder, name)).find((path) => existsSync(path));

const PACKAGES = {
  mariadbd: 'mariadb-server',
  'mariadb-install-db': 'mariadb-server',
  'redis-server': 'redis-server',
  initdb: 'postgresql',
  postgres: 'postgresql',
};
const missing = new Set(
  Object.entries(PACKAGES)
    .filter(([program]) => find(program) === undefined)
    .map(([, name]) => name),
);

/** Why tests are skipped; undefined when they are not. TRACEWRIGHT_REQUIRE=servers has absence fail instead of skip. */
export const skipReason =
  missing.size > 0 && !isRequired('servers') ? `there is no ${[...missing].join(' and no ')}` : undefined;

function program(name: keyof typeof PACKAGES): string {
  const path = find(name);
  if (path === undefined) throw new Error(`There is no ${name}: install ${PACKAGES[name]}.`);
  return path;
}

interface User {
  readonly uid?: number;
  readonly gid?: number;
}

function nobody(): User {
  const idOf = (option: string) => Number(execFileSync('id', [option, 'nobody']).toString());
  return { uid: idOf('-u'), gid: idOf('-g') };
}

export class DatabaseServer {
  readonly port: number;
  readonly #folder: string;
  readonly #process: ChildProcess;

  private constructor(port: number, folder: string, path: string, args: readonly string[], user: User = {}) {
    this.port = port;
    this.#folder = folder;
    this.#process = spawn(path, args, { cwd: folder, stdio: 'ignore', ...user });
  }

  /** With the user `root`, who has no password. */
  static async mariadb(): Promise<DatabaseServer> {
    const port = await freePort();
    const folder = mkdtempSync(join(tmpdir(), 'tracewright-mariadb-'));
    const common = ['--no-defaults', `--datadir=${folder}/data`, `--user=${userInfo().username}`];
    execFileSync(
      program('mariadb-install-db'),
      [...common, '--auth-root-authentication-method=normal', '--skip-test-db'],
      // A failure says why.
      { stdio: 'pipe' },
    );
    const args = [
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      `--socket=${folder}/socket`,
      `--pid-file=${folder}/pid`,
      '--innodb-buffer-pool-size=16M',
    ];
    return new DatabaseServer(port, folder, program('mariadbd'), [...common, ...args]).#ready();
  }

  static async redis(): Promise<DatabaseServer> {
    const port = await freePort();
    const folder = mkdtempSync(join(tmpdir(), 'tracewright-redis-'));
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    return new DatabaseServer(port, folder, program('redis-server'), args).#ready();
  }

  /** With the user `postgres`, who has no password. It refuses to run as root. */
  static async postgresql(): Promise<DatabaseServer> {
    const port = await freePort();
    const folder = mkdtempSync(join(tmpdir(), 'tracewright-postgresql-'));
    const user = process.getuid?.() === 0 ? nobody() : {};
    if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
    const data = join(folder, 'data');
    execFileSync(program('initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync'], {
      stdio: 'ignore',
      cwd: folder,
      ...user,
    });
    const args = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', folder, '-F'];
    return new DatabaseServer(port, folder, program('postgres'), args, user).#ready();
  }

  async close(): Promise<void> {
    const { exitCode, signalCode } = this.#process;
    if (exitCode === null && signalCode === null) {
      const ended = once(this.#process, 'exit');
      this.#process.kill();
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** When it takes connections. */
  async #ready(): Promise<this> {
    while (this.#process.exitCode === null) {
      const socket = connect(this.port, '127.0.0.1');
      const isThere = await new Promise<boolean>((resolve) => {
        socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
      });
      socket.destroy();
      if (isThere) return this;
      await delay(50);
    }
    await this.close();
    throw new Error(`${this.#process.spawnfile} ended with ${this.#process.exitCode}.`);
  }
}
