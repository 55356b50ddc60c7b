// A command of tracewright that lists sessions or providers: `lists.mjs LISTS ARGUMENT...`, where LISTS is JSON, as for
// setLists of recorder.mjs, with keywords as text, or `many` registered providers. A process with the id -1 is this
// one. What the command prints comes out as one line of JSON.
import { setLists } from '../recorder/recorder.mjs';

const [text, ...args] = process.argv.slice(2);
const lists = JSON.parse(text, (name, value) => {
  if (name === 'any' || name === 'all') return BigInt(value);
  return name === 'pid' && value === -1 ? process.pid : value;
});
// More than a command line can hold.
const registered = Array.from({ length: lists.many ?? 0 }, (_, number) => ({
  guid: `${String(number).padStart(8, '0')}-0000-0000-0000-000000000000`,
  name: `Registered-${number}`,
  source: number % 2,
}));
setLists(registered.length === 0 ? lists : { ...lists, registered });
let stdout = '';
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (text) => {
  stdout += text;
  return true;
};
process.on('exit', () => write(`${JSON.stringify({ stdout, pid: process.pid })}\n`));
process.argv = [...process.argv.slice(0, 2), ...args];
await import('../node_modules/tracewright/dist/cjs/cli.cjs');
