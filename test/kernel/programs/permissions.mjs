// The permissions of an unprivileged user, before and after an administrator has opened user_events to everybody.
import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { TRACEFS } from './tracefs.mjs';

function asNobody() {
  const program = `
    import { defineEventSource, event, listen } from 'tracewright';
    const log = defineEventSource('Nobody', { Tick: event({ number: 'uint32' }) });
    let heard = 0;
    listen(log, () => heard++);
    log.Tick({ number: 1 });
    console.log(JSON.stringify({ uid: process.getuid(), status: log.status, heard }));`;
  const child = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    uid: 65534,
    gid: 65534,
  });
  if (child.status !== 0) throw new Error(child.stderr.toString());
  return JSON.parse(child.stdout.toString());
}

const before = asNobody();
chmodSync(TRACEFS, 0o755);
chmodSync(`${TRACEFS}/user_events_data`, 0o666);
console.log(JSON.stringify({ before, after: asNobody() }));
