// Runs a batch file, such as npm creates for each program, as `tracewright record -- NAME` does, with the given
// arguments (JSON in base64); prints what the program behind it received.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { RecordedCommand } from '../node_modules/tracewright/dist/cli/record/recorded-command.js';

const lists = JSON.parse(Buffer.from(process.argv[2], 'base64').toString());
mkdirSync('with space & ä', { recursive: true });
const shim = `@ECHO off\r\nSETLOCAL\r\n"${process.execPath}" "%~dp0\\shown.mjs" %*\r\n`;
writeFileSync('with space & ä/shown.cmd', shim);
writeFileSync(
  'with space & ä/shown.mjs',
  `import { appendFileSync } from 'node:fs';
  appendFileSync('got.jsonl', JSON.stringify(process.argv.slice(2)) + '\\n');
  process.exitCode = 7;`,
);
process.env.PATH = `${process.cwd()}\\with space & ä;${process.env.PATH}`;
const ends = [];
for (const args of lists) ends.push((await new RecordedCommand(['shown', ...args], {}).ended).text);
const got = readFileSync('got.jsonl', 'utf8').trimEnd().split('\n');
console.log(JSON.stringify({ got: got.map((line) => JSON.parse(line)), ends: [...new Set(ends)] }));
