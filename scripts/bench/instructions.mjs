// Counts instructions, which no other process affects: those of the whole process, with the code of V8, and of the
// kernel none. Two runs that differ in the number of iterations tell what one takes, without start and compilation.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { environment } from './processes.mjs';

const child = join(import.meta.dirname, 'child.mjs');

/** By then, V8 has compiled everything. */
const FEW = 30_000;
const MANY = 60_000;

/** Why they cannot be counted; undefined if they can. */
export function reasonAgainstInstructions() {
  const { error } = spawnSync('valgrind', ['--version']);
  return error === undefined ? undefined : 'valgrind is not installed.';
}

function countOf(workload, iterations, target) {
  const args = ['--tool=callgrind', '--callgrind-out-file=/dev/null', process.execPath, '--single-threaded'];
  const request = JSON.stringify({ ...workload, iterations });
  const { stderr } = spawnSync('valgrind', [...args, child, request], {
    env: environment(target),
    encoding: 'utf8',
  });
  const [, count] = /Collected : (\d+)/.exec(stderr) ?? [];
  if (count === undefined) throw new Error(`valgrind has counted nothing: ${stderr.slice(0, 1000)}`);
  return Number(count);
}

/** @returns {{ rounds: number[] }} instructions per iteration */
export function measureInstructions(workload, target) {
  const count = countOf(workload, MANY, target) - countOf(workload, FEW, target);
  return { rounds: [count / (MANY - FEW)] };
}
