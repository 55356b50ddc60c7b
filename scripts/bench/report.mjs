// Turns measurements into figures, comparisons and verdicts.
import { cases, groups, groupsWithoutLoop, units } from './cases.mjs';
import { targets } from './targets.mjs';

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * @typedef {object} Figure
 * @property {string} id
 * @property {string} group
 * @property {string} title
 * @property {number} median of the processes' medians, in nanoseconds
 * @property {number} best of all rounds of all processes, in nanoseconds
 * @property {number} [bytes] in a file
 * @property {string} [against] the id of the case that it is compared with
 * @property {number} [difference] from that, in nanoseconds, by the medians
 * @property {number} [ratio] to that, by the medians
 * @property {number} [share] of another case's difference from that, by the medians
 */

/** Below this, in nanoseconds, a ratio consists of rounding errors. */
const SMALLEST_DIVISOR = 5;

/** @param {Record<string, number>} bytes per iteration in a file, by case */
function figures(processes, bytes) {
  const measured = cases.filter(({ id }) => processes[id]?.length > 0);
  const raw = Object.fromEntries(
    measured.map(({ id }) => [
      id,
      { median: median(processes[id].map(median)), best: Math.min(...processes[id].flat()) },
    ]),
  );
  const loop = raw['empty-loop'] ?? { median: 0, best: 0 };
  return measured.map(({ id, group, title, against, beside }) => {
    const own = raw[id];
    const other = against && raw[against];
    // If the loop takes as long as its body, it is not subtracted
    const isWithoutLoop = groupsWithoutLoop.includes(group) && id !== 'empty-loop';
    const overhead = isWithoutLoop ? loop : { median: 0, best: 0 };
    const figure = {
      id,
      group,
      title,
      ...(bytes[id] === undefined ? {} : { bytes: bytes[id] }),
      median: Math.max(0, own.median - overhead.median),
      best: Math.max(0, own.best - overhead.best),
    };
    if (!other) return figure;
    const ratio = other.median < SMALLEST_DIVISOR ? {} : { ratio: own.median / other.median };
    const difference = own.median - other.median;
    const another = beside && raw[beside];
    const share = !another ? {} : { share: difference / (another.median - other.median) };
    return { ...figure, against, difference, ...ratio, ...share };
  });
}

function verdicts(allFigures) {
  return targets.map(({ text, ids, property, limit }) => {
    const values = allFigures
      .filter((figure) => ids.includes(figure.id) && figure[property] !== undefined)
      .map((figure) => figure[property]);
    if (values.length === 0) return { text, verdict: 'not measured' };
    const worst = Math.max(...values);
    return { text, verdict: worst <= limit ? 'met' : 'missed', figure: shown[property](worst) };
  });
}

const shown = {
  median: (ns) => `${ns.toFixed(0)} ns`,
  difference: (ns) => `${ns.toFixed(1)} ns`,
  ratio: (ratio) => `${ratio.toFixed(2)}x`,
  share: (share) => `${(100 * share).toFixed(0)} %`,
};

/**
 * @param {Record<string, number[][]>} processes the rounds of each process, by case
 * @param {Record<string, number>} bytes per iteration in a file, by case
 * @param {Record<string, string>} reasons why a group, or a part of one, was not measured
 */
export function makeReport(processes, bytes, reasons, machine) {
  const all = figures(processes, bytes);
  return {
    machine,
    groups: Object.entries(groups).map(([group, title]) => ({
      group,
      title,
      unit: units[group] ?? 'ns',
      ...(reasons[group] === undefined ? {} : { reason: reasons[group] }),
      figures: all.filter((figure) => figure.group === group),
    })),
    verdicts: verdicts(all),
    processes,
  };
}
