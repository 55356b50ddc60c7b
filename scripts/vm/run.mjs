// `npm run vm -- [options] COMMAND [ARGUMENTS...]`: runs a command on a kernel with user_events.
import { parseArgs } from 'node:util';
import { runInGuest, runNatively, VmError } from './guest.mjs';
import { isNative } from './prerequisites.mjs';

const usage = `npm run vm -- [options] COMMAND [ARGUMENTS...]

Runs a command on a Linux kernel with user_events: on the running one where it has them and this user may
register events, else in user-mode Linux. A guest sees the host's files, read-only under a RAM overlay, and runs
the command as root in the current directory, with the current environment and an empty stdin; the command's
stdout, stderr and exit status are those of this program.

  --qemu         a second, unpatched kernel, in an emulated machine (about ten times slower)
  --rw DIR       share DIR with the guest read-write; may be repeated
  --timeout S    time limit in seconds (300)
  --verbose      the kernel's console on stderr

Exit status: the command's; 124 when the time limit ended it; 125 when it could not be run.
`;

const couldNotRun = 125;

function positiveInteger(name, text) {
  if (!/^[1-9]\d*$/.test(text)) {
    throw new VmError(`--${name} takes a whole number from 1, and "${text}" is none.`);
  }
  return Number(text);
}

const options = /** @type {const} */ ({
  qemu: { type: 'boolean', default: false },
  rw: { type: 'string', multiple: true },
  timeout: { type: 'string', default: '300' },
  verbose: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
});

/** Where the command begins: what looks like an option behind that is the command's own. */
function commandIndex(args) {
  let index = 0;
  while (index < args.length && args[index].startsWith('--') && args[index] !== '--') {
    const takesNext = options[args[index].slice(2)]?.type === 'string';
    index += takesNext ? 2 : 1;
  }
  return index;
}

function parse(args) {
  const index = commandIndex(args);
  const { values } = parseArgs({ args: args.slice(0, index), options });
  return { command: args.slice(args[index] === '--' ? index + 1 : index), ...values };
}

async function main() {
  const { help, qemu, command, rw, verbose, timeout } = parse(process.argv.slice(2));
  if (help) {
    process.stdout.write(usage);
    return 0;
  }
  if (command.length === 0) throw new VmError(`There is no command to run.\n\n${usage.trimEnd()}`);
  const run = {
    command,
    rw,
    verbose: verbose === true,
    timeout: positiveInteger('timeout', timeout),
    stdout: process.stdout,
    stderr: process.stderr,
  };
  if (qemu) return runInGuest('qemu', run);
  return isNative() ? runNatively(run) : runInGuest('uml', run);
}

// The reader of the output has gone: so may the guest, which dies with this process
process.stdout.on('error', () => process.exit(couldNotRun));

try {
  process.exitCode = await main();
} catch (error) {
  const expected = error instanceof VmError || error.code?.startsWith('ERR_PARSE_ARGS');
  process.stderr.write(`vm: ${expected ? error.message : error.stack}\n`);
  process.exitCode = couldNotRun;
}
