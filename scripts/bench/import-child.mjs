// Imports one module and prints what that took, in nanoseconds of the process's CPU time:
// `node import-child.mjs SPECIFIER`. A specifier is this package's, or one of a peer.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { requirePeer } from './peer.mjs';

const specifier = process.argv[2];
const { resolve } = specifier.startsWith('tracewright') ? createRequire(import.meta.url) : requirePeer;
const url = pathToFileURL(resolve(specifier)).href;

const start = process.cpuUsage();
await import(url);
const { user, system } = process.cpuUsage(start);
process.stdout.write(JSON.stringify((user + system) * 1000));
