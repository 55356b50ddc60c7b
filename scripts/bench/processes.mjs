// Starts the processes that measure one case each, and reads their results.
import { join } from 'node:path';
import { run } from '../lib/run.mjs';

/** The checkout to measure, if it is not another one. */
const own = join(import.meta.dirname, '../..');

/**
 * What replaces the kernel, or a real tracepoint.
 * @typedef {object} Target
 * @property {string} path the file to write to
 * @property {string} [standIn] the library that makes an ordinary file pass for user_events_data
 */

function environment(target) {
  if (target === undefined) return process.env;
  const standIn = target.standIn === undefined ? {} : { LD_PRELOAD: target.standIn };
  return { ...process.env, TRACEWRIGHT_TRACEFS: target.path, ...standIn };
}

function runNode(request, target, program = process.execPath, root = own) {
  const child = join(root, 'scripts/bench/child.mjs');
  return run(program, [child, JSON.stringify(request)], { env: environment(target) });
}

/** Runs only a workload's preparation. */
export function prepare(workload, target) {
  runNode(workload, target);
}

/**
 * @param {{ module: string, workload: string, arguments?: readonly unknown[] }} workload
 * @param {import('./measure.mjs').Timing} timing
 * @param {Target} [target]
 * @param {string} [program] another Node.js than this one
 * @param {string} [root] another checkout than this one
 * @returns {{ rounds: number[], bytesEach?: number }} nanoseconds per iteration, for each round; for files, the bytes
 * per iteration
 */
export function measureNode(workload, timing, target, program, root) {
  return JSON.parse(runNode({ ...workload, timing }, target, program, root));
}

/**
 * Starts a process for each round, since a module is imported only once; fewer of them, since that takes long.
 * @param {{ specifier: string }} imported
 * @param {import('./measure.mjs').Timing} timing
 * @param {string} [root] another checkout than this one
 * @returns {{ rounds: number[] }} nanoseconds, for each round
 */
export function measureImport({ specifier }, { rounds }, root = own) {
  const importChild = join(root, 'scripts/bench/import-child.mjs');
  const importOnce = () => JSON.parse(run(process.execPath, [importChild, specifier]));
  return { rounds: Array.from({ length: Math.ceil(rounds / 2) }, importOnce) };
}

/**
 * The bare C loop: the same bytes to the same file.
 * @param {{ program: string, definition: string, bytesFile: string, threads: 1 | 2 }} loop
 * @param {import('./measure.mjs').Timing} timing
 * @param {Target} target
 * @returns {{ rounds: number[] }} nanoseconds per write, for each round
 */
export function measureC({ program, definition, bytesFile, threads }, timing, target) {
  const { clock, roundMs, rounds } = timing;
  const args = [target.path, definition, bytesFile, threads, clock, roundMs, rounds].map(String);
  return { rounds: JSON.parse(run(program, args, { env: environment(target) })) };
}
