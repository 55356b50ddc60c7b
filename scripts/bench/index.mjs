// `npm run bench -- [options]`: what tracewright costs, in nanoseconds and in ratios to the theoretical minimum. The
// exit status is always 0: a benchmark is not a test.
import { existsSync, readFileSync } from 'node:fs';
import { cpus, release } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { report as reportError, run, ToolError } from '../lib/run.mjs';
import { openBaseline } from './baseline.mjs';
import { cases, groups, groupsOfPeers } from './cases.mjs';
import { compareReports, comparisonText, pairsAsMarkdown } from './compare.mjs';
import { installPeers, peerVersions } from './peers.mjs';
import { measureC, measureImport, measureNode } from './processes.mjs';
import { measureReading } from './reading/index.mjs';
import { makeReport } from './report.mjs';
import { measureServers } from './servers/index.mjs';
import { openStandIns } from './stand-ins.mjs';
import { asMarkdown } from './table.mjs';
import { measureTracepoint, tracepointKernel } from './tracepoint.mjs';
import { writeDocument } from './write-document.mjs';

const usage = `npm run bench -- [options]

  --quick     fewer and shorter rounds: about a minute, and less sure
  --qemu      the tracepoint on the unpatched kernel in an emulated machine
  --only GROUPS
              only these groups: disabled, devNull, files, sessions, servers, ...
  --no-build  measure what is in dist and build
  --document  also writes the figures into docs/performance.md and README.md
  --json      the figures and all rounds as JSON instead of the table
  --compare FILE
              what became slower than in a run saved with --json
  --compare REF
              each case beside a commit, tag or branch, which is built in a
              temporary folder and measured in turns, without the readers
`;

/** @type {Record<string, import('./measure.mjs').Timing>} */
const timing = {
  full: { clock: 'cpu', roundMs: 10, rounds: 9 },
  quick: { clock: 'cpu', roundMs: 4, rounds: 5 },
};
const repetitions = { full: 4, quick: 2 };

/** Any definition: the stand-in accepts all, because it has no tracepoints. */
const anyDefinition = 'benchmark';

function progress(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

/** Why a group, or a part of it, cannot be measured, by group. */
function missing(standIns, peersReason) {
  const reasons = {};
  if (standIns.reason !== undefined) {
    for (const group of ['devNull', 'texts', 'tracepoint', 'activities']) reasons[group] = standIns.reason;
  }
  if (peersReason !== undefined) for (const group of groupsOfPeers) reasons[group] = peersReason;
  return reasons;
}

/**
 * @param {import('./cases.mjs').Case} each
 * @param {import('./measure.mjs').Timing} timing
 * @param {string} [root] another checkout than this one
 * @returns {{ rounds: number[], bytesEach?: number }}
 */
function measureCase(each, standIns, timing, root) {
  const { node, c, imported, target = '', program, longer = 1 } = each;
  const caseTiming = { ...timing, roundMs: timing.roundMs * longer };
  if (imported !== undefined) return measureImport(imported, caseTiming, root);
  if (node !== undefined) return measureNode(node, caseTiming, standIns[target], program, root);
  return measureC({ ...standIns, definition: anyDefinition, ...c }, caseTiming, standIns[target]);
}

/**
 * Runs every case once, then every case again: a slow moment of the machine affects them all alike.
 * @param {string} [root] another checkout, in which each case runs, too, unless it lacks what the case needs
 */
function measureByTurns(runnable, standIns, size, root) {
  const processes = Object.fromEntries(runnable.map(({ id }) => [id, []]));
  const bytes = {};
  /** @type {Record<string, number[][]>} */
  const baseline = {};
  for (let repetition = 0; repetition < repetitions[size]; repetition++) {
    for (const each of runnable) {
      progress(`${repetition + 1}/${repetitions[size]}: ${each.title}`);
      const { rounds, bytesEach } = measureCase(each, standIns, timing[size]);
      processes[each.id].push(rounds);
      if (bytesEach !== undefined) bytes[each.id] = bytesEach;
      if (root === undefined) continue;
      baseline[each.id] ??= [];
      try {
        baseline[each.id].push(measureCase(each, standIns, timing[size], root).rounds);
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
      }
    }
  }
  return { processes, bytes, baseline };
}

/** @param {string} [only] names of groups, separated by commas; the default is all */
function groupTest(only) {
  if (only === undefined) return () => true;
  const names = only.split(',');
  const unknown = names.filter((name) => !(name in groups) && name !== 'reading');
  if (unknown.length > 0) {
    throw new Error(
      `There is no group ${unknown.join(', ')}; the groups are ${Object.keys(groups).join(', ')}, reading.`,
    );
  }
  return (group) => names.includes(group);
}

function readReport(path) {
  const report = JSON.parse(readFileSync(path, 'utf8'));
  if (Array.isArray(report.groups)) return report;
  throw new Error(`${path} is not a report that this script wrote with --json.`);
}

function thisMachine() {
  const [{ model }] = cpus();
  return {
    node: process.versions.node,
    kernel: release(),
    cpu: model,
    cpus: cpus().length,
    date: new Date().toISOString().slice(0, 10),
  };
}

/**
 * @param {{ quick: boolean, qemu: boolean, only?: string }} options
 * @param {string} [root] a checkout to measure beside this one
 */
async function measureAll({ quick, qemu, only }, root) {
  const isAsked = groupTest(only);
  const size = quick ? 'quick' : 'full';
  const standIns = openStandIns();
  try {
    const peersReason = installPeers();
    const reasons = missing(standIns, peersReason);
    const runnable = cases.filter(
      ({ group, target, server }) =>
        isAsked(group) &&
        server === undefined &&
        (target === undefined || standIns[target] !== undefined) &&
        (peersReason === undefined || !groupsOfPeers.includes(group)),
    );
    const { processes, bytes, baseline } = measureByTurns(runnable, standIns, size, root);
    if (standIns.reason === undefined && isAsked('tracepoint') && root === undefined) {
      progress('an event to a recorded tracepoint');
      const tracepoint = await measureTracepoint(standIns, { quick, qemu });
      if ('reason' in tracepoint) reasons.tracepoint = tracepoint.reason;
      else Object.assign(processes, tracepoint.processes);
    }
    if (peersReason === undefined) {
      const roots = root === undefined ? [undefined] : [undefined, root];
      const servers = await measureServers({ quick, progress, isAsked, roots });
      Object.assign(processes, servers[0]);
      Object.assign(baseline, servers[1]);
    }
    const machine = {
      ...thisMachine(),
      tracepointKernel: tracepointKernel(qemu),
      peers: peersReason === undefined ? peerVersions() : {},
    };
    const reading =
      isAsked('reading') && root === undefined
        ? measureReading({ dataFolder: process.env.TRACEWRIGHT_DATA, quick, progress })
        : { reason: 'it was not requested.' };
    progress('');
    const report = { ...makeReport(processes, bytes, reasons, machine), reading };
    return { report, beside: root === undefined ? undefined : makeReport(baseline, {}, {}, machine) };
  } finally {
    standIns.close();
  }
}

try {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      qemu: { type: 'boolean', default: false },
      'no-build': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      document: { type: 'boolean', default: false },
      only: { type: 'string' },
      compare: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
  } else {
    if (!values['no-build']) run(process.execPath, [join(import.meta.dirname, '..', 'setup.mjs')]);
    // Checked before the measurement, which takes minutes.
    const isRef = values.compare !== undefined && !existsSync(values.compare);
    const before = values.compare === undefined || isRef ? undefined : readReport(values.compare);
    const baseline = values.compare !== undefined && isRef ? openBaseline(values.compare) : undefined;
    const { report, beside } = await measureAll(values, baseline?.root).finally(() => baseline?.close());
    if (values.document) writeDocument(report);
    if (values.json) process.stdout.write(`${JSON.stringify({ ...report, baseline: beside })}\n`);
    else
      process.stdout.write(
        `${beside === undefined ? asMarkdown(report) : pairsAsMarkdown(beside, report)}\n`,
      );
    if (before !== undefined) {
      const text = comparisonText(compareReports(before, report));
      // Keeps JSON output valid
      (values.json ? process.stderr : process.stdout).write(`\n${text}\n`);
    }
  }
} catch (error) {
  reportError(error);
}
