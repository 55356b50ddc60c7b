/** docs/logs.md with the packed package: its programs do what the guide says. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { named } from '../platforms.ts';
import { Application, installedTools, reasonOf } from './application.ts';

const guide = readFileSync(join(fileURLToPath(new URL('../..', import.meta.url)), 'docs/logs.md'), 'utf8');
const tools = installedTools({ pino: '^10.4.0', winston: '^3.19.0', 'pino-lowest': 'npm:pino@8.0.0' });

const programs = [...guide.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code = '']) => code);
/** In front of them: a recording of the whole process. */
const RECORDING = `
import { once } from 'node:events';
import { startSession } from 'tracewright';
const session = startSession({ providers: 'Node.Logs,MyCompany-Shop', output: 'logs.nettrace' });
`;
/** The events of lines, as they are read back. */
const END = `
const transport = logger[pino.symbols.streamSym];
// pino's worker keeps no process alive.
const alive = setInterval(() => {}, 1000);
transport.end();
await once(transport, 'close');
clearInterval(alive);
await session.close();
const { openTrace } = await import('tracewright/trace');
for await (const { name, payload, activityPath = 'none' } of await openTrace('logs.nettrace')) {
  if (payload.levelName === undefined) continue;
  const { message, levelName, fields } = payload;
  console.log('event:', name, levelName, message, activityPath, JSON.parse(fields).tea);
}
`;

describe.skipIf('reason' in tools)(named('docs/logs.md', reasonOf(tools)), () => {
  let application: Application;
  beforeAll(() => {
    application = new Application('folder' in tools ? tools.folder : '');
  }, 120_000);
  afterAll(() => application?.remove());

  it.each(['pino', 'pino-lowest'])('forms one program, with %s', { timeout: 60_000 }, (pino) => {
    const code = `${RECORDING}${programs.join('')}${END}`.replace("from 'pino'", `from '${pino}'`);
    application.write('guide.mjs', code);
    const { status, output } = application.run(process.execPath, ['guide.mjs']);
    expect(status, output).toBe(0);
    const lines = output.split('\n');
    const printed = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
    expect(printed.map(({ msg, message, activityPath }) => [msg ?? message, activityPath])).toEqual([
      ['order placed', '//1/1'],
      ['order placed', '//1/3'],
      ['low on tea', '//1/2'],
    ]);
    expect(lines).toContain('low on tea');
    expect(lines.filter((line) => line.startsWith('event: ')).sort()).toEqual([
      'event: Informational 30 order placed //1/1 green',
      'event: Informational info order placed //1/3 black',
      'event: Warning 40 low on tea //1/2 undefined',
      'event: Warning warn low on tea //1/4 undefined',
    ]);
  });
});
