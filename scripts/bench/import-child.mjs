// Imports one module and prints the time it took, in nanoseconds of the process's CPU time: `node import-child.mjs
// SPECIFIER`. The specifier names this package or a peer.
import { pathToFileURL } from 'node:url';
import { requirePeer } from './peer.mjs';

const specifier = process.argv[2];
const url = specifier.startsWith('tracewright')
  ? import.meta.resolve(specifier)
  : pathToFileURL(requirePeer.resolve(specifier)).href;

const start = process.cpuUsage();
await import(url);
const { user, system } = process.cpuUsage(start);
process.stdout.write(JSON.stringify((user + system) * 1000));
