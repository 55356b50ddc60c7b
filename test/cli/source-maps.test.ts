/** A program that was bundled and minified, recorded as a user does: every answer names its own files, lines and names. */
import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contentOf } from '../view/report/read-report.ts';
import { main } from './run-tracewright.ts';

const AUTO = new URL('../../dist/cjs/auto.cjs', import.meta.url).href;
const PRICES = `
export function addUpPrices(limit: number): number {
  let sum = 0;
  const end = performance.now() + limit;
  while (performance.now() < end) sum += Math.cbrt(sum + 2);
  return sum;
}
`;
const SERVER = `
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { addUpPrices } from "./prices.ts";

async function askForStock(port: number): Promise<void> {
  await (await fetch(\`http://127.0.0.1:\${port}/stock\`)).text();
}

const server = createServer(async (request, response) => {
  if (request.url === '/cart') {
    addUpPrices(300);
    await askForStock(portOf());
  }
  response.end('done');
});
const portOf = () => (server.address() as AddressInfo).port;
server.listen(0, '127.0.0.1', async () => {
  await (await fetch(\`http://127.0.0.1:\${portOf()}/cart\`)).text();
  process.exit();
});
`;

let folder: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'tracewright-bundled-')));
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'src/prices.ts'), PRICES);
  writeFileSync(join(folder, 'src/server.ts'), SERVER);
});
afterAll(() => rmSync(folder, { recursive: true }));

function tracewright(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  expect({ status, stderr }).toMatchObject({ status: 0 });
  return stdout;
}

describe.each([
  ['in the script', 'inline', []],
  ['beside the script', true, []],
  ['in a folder of the user', 'hidden', ['--source-maps', 'maps']],
] as const)('A minified program with its source map %s', (_, sourcemap, options) => {
  const name = `app-${String(sourcemap)}`;
  const trace = `${name}.nettrace`;

  beforeAll(async () => {
    const file = join(folder, `${name}.mjs`);
    const output = { file, format: 'esm', minify: true, sourcemap } as const;
    await build({ input: join(folder, 'src/server.ts'), platform: 'node', output, logLevel: 'silent' });
    if (sourcemap === 'hidden') {
      mkdirSync(join(folder, 'maps'));
      renameSync(`${file}.map`, join(folder, `maps/${name}.mjs.map`));
    }
    expect(readFileSync(file, 'utf8')).not.toContain('addUpPrices(');
    tracewright('collect', '-o', trace, '--', process.execPath, '--import', AUTO, `${name}.mjs`);
  }, 60_000);

  it('is explained by the names, files and lines of its source', () => {
    const answer = JSON.parse(tracewright('explain', ...options, '--json', trace));
    const cart = answer.activities.find(({ label }: { label: string }) => label === 'GET /cart');
    expect(cart.sentence).toMatch(/its own code ran \((?:now, called by )?addUpPrices in src\/prices\.ts\)/);
    const line = SERVER.split('\n').findIndex((text) => text.includes('await fetch(')) + 1;
    expect(cart.calls[0]).toMatchObject({ startedAt: `server.ts:${line}` });
  });

  it('has them where the CPU time went, in a report and in speedscope', () => {
    expect(tracewright('view', '--cpu', ...options, trace)).toMatch(
      /addUpPrices.*prices\.ts|prices\.ts.*addUpPrices/,
    );
    const { header } = contentOf(tracewright('report', ...options, trace, '-o', '-'));
    expect(header.explanations.activities.map(({ sentence }) => sentence).join()).toContain(
      'addUpPrices in src/prices.ts',
    );
    expect(JSON.stringify(header.frames)).toMatch(/addUpPrices/);
    tracewright('export', ...options, trace, '-o', `${name}.speedscope.json`);
    const { shared } = JSON.parse(readFileSync(join(folder, `${name}.speedscope.json`), 'utf8'));
    expect(shared.frames).toContainEqual(
      expect.objectContaining({ name: expect.stringContaining('addUpPrices') }),
    );
  });
});
