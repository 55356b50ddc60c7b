// Where user_events_data is looked for: the usual place, a mount elsewhere, the environment variable, nowhere.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';

function statusWith(environment) {
  const program = `
    import { defineEventSource, event } from 'tracewright';
    const { status } = defineEventSource('Places', { Tick: event() });
    console.log(JSON.stringify(status));`;
  const env = { ...process.env, ...environment };
  const child = spawnSync(process.execPath, ['--input-type=module', '-e', program], { env });
  if (child.status !== 0) throw new Error(child.stderr.toString());
  return JSON.parse(child.stdout.toString());
}

const elsewhere = '/run/elsewhere';
mkdirSync(elsewhere);
const results = { usual: statusWith({}) };
execFileSync('mount', ['-t', 'tracefs', 'tracefs', elsewhere]);
results.folder = statusWith({ TRACEWRIGHT_TRACEFS: elsewhere });
results.file = statusWith({ TRACEWRIGHT_TRACEFS: `${elsewhere}/user_events_data` });
results.missing = statusWith({ TRACEWRIGHT_TRACEFS: '/nowhere' });
results.otherFile = statusWith({ TRACEWRIGHT_TRACEFS: '/dev/null' });
execFileSync('umount', ['/sys/kernel/tracing']);
results.mounted = statusWith({});
execFileSync('umount', [elsewhere]);
execFileSync('umount', ['/sys/kernel/debug']);
results.nowhere = statusWith({});
console.log(JSON.stringify(results));
