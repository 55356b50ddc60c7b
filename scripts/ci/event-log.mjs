// `node event-log.mjs`: installs the manifest of a source with channels, as docs/windows.md says, writes events, and
// checks what the Event Log shows of them: names, levels, fields and messages. As administrator, on Windows; the checkout
// set up (npm run setup). The files stay in build/etw/event-log. What is installed is removed again.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { report, run, ToolError } from '../lib/run.mjs';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'build/etw/event-log');
const resources = join(folder, 'resources');
const program = join(folder, 'orders.mjs');
const cli = join(root, 'dist/cjs/cli.cjs');
const PROVIDER = 'MyCompany-OrdersCi';
const WAIT_MILLISECONDS = 30_000;

const PROGRAM = `
import { Channel, defineEventSource, event, Level } from 'tracewright';
import { setTimeout as sleep } from 'node:timers/promises';
const log = defineEventSource('${PROVIDER}', {
  Rejected: event({ order: 'string' }, { channel: Channel.Admin, level: Level.Warning, message: 'Order {0} was rejected.' }),
  Placed: event({ order: 'string', count: 'uint32' }, { channel: Channel.Operational, message: 'Order {0}, {1} items' }),
  Traced: event({ order: 'string' }, { channel: Channel.Analytic, message: 'Trace of {0}' }),
}, { etwFormat: 'manifest' });
if (process.argv[2] === 'write') {
  const end = Date.now() + ${WAIT_MILLISECONDS};
  while (!log.Placed.enabled && Date.now() < end) await sleep(10);
  if (!log.Placed.enabled) throw new Error('The Event Log has not enabled the provider.');
  for (let count = 0; count < 3; count++) log.Placed({ order: \`a-\${count}\`, count });
  log.Rejected({ order: 'b-1' });
  console.log(JSON.stringify({ traced: log.Traced.enabled, ...log.stats() }));
}
`;

/** @param {string} command @param {string[]} args */
function say(command, ...args) {
  console.log([command, ...args].join(' '));
  const isScript = command.endsWith('.cmd');
  const options = { cwd: folder, timeout: 120_000, shell: isScript };
  const output = run(isScript ? `"${command}"` : command, args, options);
  console.log(output.trim());
  return output;
}

/** The events of a channel as XML with the texts that Event Viewer shows, once there are that many. */
async function eventsOf(channel, count) {
  const end = Date.now() + WAIT_MILLISECONDS;
  for (;;) {
    const xml = run('wevtutil', ['qe', `${PROVIDER}/${channel}`, '/f:RenderedXml'], { timeout: 60_000 });
    const events = xml.match(/<Event .*?<\/Event>/gs) ?? [];
    if (events.length >= count || Date.now() > end) return events;
    await sleep(500);
  }
}

/** What each event must have, each by a pattern. */
function problemsOf(channel, events, expected) {
  const problems = expected.flatMap((patterns, index) =>
    patterns
      .filter((pattern) => !pattern.test(events[index] ?? ''))
      .map((pattern) => `Event ${index} of ${channel} has no ${pattern.source}: ${events[index]}`),
  );
  if (events.length === expected.length) return problems;
  return [`${channel} has ${events.length} events, and not ${expected.length}.`, ...problems];
}

try {
  if (process.platform !== 'win32') throw new ToolError('The Event Log is part of Windows only.', '');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(program, PROGRAM);
  say(process.execPath, cli, 'manifest', program, '--resources', resources);
  say(join(resources, 'install.cmd'));
  const problems = [];
  try {
    const description = say('wevtutil', 'gp', PROVIDER, '/ge:true', '/gm:true');
    for (const text of ['was rejected.', `${PROVIDER}/Admin`, `${PROVIDER}/Operational`]) {
      if (!description.includes(text)) problems.push(`The installed provider has no "${text}".`);
    }
    const written = JSON.parse(say(process.execPath, program, 'write').trim().split('\n').at(-1) ?? '{}');
    if (written.written !== 4) problems.push(`The program has written ${JSON.stringify(written)}.`);
    if (written.traced) problems.push('The channel Analytic is enabled before anyone has enabled it.');
    const placed = [0, 1, 2].map((count) => [
      /<Channel>MyCompany-OrdersCi\/Operational<\/Channel>/,
      new RegExp(`<Data Name=["']order["']>a-${count}</Data>`),
      new RegExp(`<Data Name=["']count["']>${count}</Data>`),
      new RegExp(`<Message>Order a-${count}, ${count} items</Message>`),
    ]);
    const rejected = [[/<Level>3<\/Level>/, /<Message>Order b-1 was rejected\.<\/Message>/]];
    problems.push(...problemsOf('Operational', await eventsOf('Operational', 3), placed));
    problems.push(...problemsOf('Admin', await eventsOf('Admin', 1), rejected));
  } finally {
    say(join(resources, 'uninstall.cmd'));
  }
  const left = run('wevtutil', ['ep'], { timeout: 60_000 });
  if (left.includes(PROVIDER)) problems.push('The provider is still installed after uninstall.cmd.');
  if (problems.length > 0) throw new ToolError(problems.join('\n'), '');
  console.log('The Event Log shows all events with their fields and messages.');
} catch (error) {
  report(error);
}
