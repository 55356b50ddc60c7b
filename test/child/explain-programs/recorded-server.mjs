/** A server of this folder that `tracewright collect` records, and what `tracewright explain` says of its requests. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const dist = fileURLToPath(new URL('../../../dist/cjs/', import.meta.url));
const cli = join(dist, 'cli.cjs');
const auto = pathToFileURL(join(dist, 'auto.cjs')).href;

/** The server prints its port. `KEEP` in the environment keeps the trace, and prints its path. */
export async function recordServer(program, variables = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'tracewright-explained-'));
  const trace = join(folder, 'a.nettrace');
  const server = [process.execPath, '--import', auto, fileURLToPath(new URL(program, import.meta.url))];
  const collecting = spawn(process.execPath, [cli, 'collect', '-o', trace, '--', ...server], {
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let messages = '';
  collecting.stderr.on('data', (text) => {
    messages += text;
  });
  process.on('exit', (status) => {
    if (process.env.KEEP === undefined) rmSync(folder, { recursive: true });
    else console.error(trace);
    if (status !== 0) console.error(messages);
  });
  const exited = once(collecting, 'exit');
  const failed = exited.then(() => {
    throw new Error(messages);
  });
  const [line] = await Promise.race([once(collecting.stdout, 'data'), failed]);
  return {
    port: Number(line),
    trace,
    /** Waits for the server's end. */
    explanation: async () => {
      await exited;
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [cli, 'explain', '--name', 'Node.Http/Request', '--slowest', '10000', '--json', trace],
        { maxBuffer: 2 ** 28 },
      );
      return JSON.parse(stdout);
    },
  };
}
