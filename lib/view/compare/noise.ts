/**
 * Whether two samples differ by more than chance, without an assumption about how durations are distributed.
 *
 * A quantile is compared by how many values of each sample exceed that quantile of both together, which is exact for
 * independent values: a hypergeometric count. Requests of one time are alike, so a second test compares the same counts
 * between stretches of each recording, as batch means do in simulations. The less certain of the two is the answer.
 */

/** Values are in the order of time. */
export type Values = Float64Array;

/** Further stretches would be too short to be independent of each other. */
const BATCHES = 10;
/** So many standard deviations contain 95 % of a normal distribution. */
const NORMAL_95 = 1.96;

interface QuantileDifference {
  readonly before: number;
  readonly after: number;
  /** The 95 % confidence interval of the difference; infinite where there are too few values. */
  readonly low: number;
  readonly high: number;
  /** How probable a difference like this is, if there is none. */
  readonly p: number;
}

/** @param share of the values that the quantile is not exceeded by, between 0 and 1 */
export function compareQuantiles(before: Values, after: Values, share: number): QuantileDifference {
  const pooled = new Float64Array(before.length + after.length);
  pooled.set(before);
  pooled.set(after, before.length);
  const limit = quantile(pooled.sort(), share);
  const isAbove = (value: number) => (value > limit ? 1 : 0);
  const [above, below] = [after.map(isAbove), before.map(isAbove)];
  const exact = hypergeometricP(sumOf(above), after.length, sumOf(above) + sumOf(below), pooled.length);
  const [left, right] = [quantileInterval(before, share), quantileInterval(after, share)];
  // The method of variance estimates recovery: Zou and Donner, Statistics in Medicine 27 (2008).
  const change = right.at - left.at;
  return {
    before: left.at,
    after: right.at,
    low: change - Math.hypot(right.at - right.low, left.high - left.at),
    high: change + Math.hypot(right.high - right.at, left.at - left.low),
    p: Math.max(exact, batchP(batchMeans(below), batchMeans(above))),
  };
}

/** Something that happened in some of the cases: how many, of how many, and in a sample of them in the order of time. */
interface Share {
  readonly happened: number;
  readonly cases: number;
  readonly sample: Values;
}

/** @returns how probable it is that two shares differ so much, if they do not */
export function compareShares(before: Share, after: Share): number {
  const happened = before.happened + after.happened;
  const cases = before.cases + after.cases;
  const exact = hypergeometricP(after.happened, after.cases, happened, cases);
  return Math.max(exact, batchP(batchMeans(before.sample), batchMeans(after.sample)));
}

/** How often something happened while something else did so many times, and how often in each of equal stretches. */
export interface Frequency {
  readonly count: number;
  readonly of: number;
  readonly inBatches: readonly number[];
}

/**
 * What happens in clusters counts as fewer independent happenings, as in quasi-Poisson models: the counts are divided
 * by how much more they vary between stretches than by chance.
 *
 * @returns how probable it is that two frequencies differ so much, if they do not
 */
export function compareFrequencies(before: Frequency, after: Frequency): number {
  const clusters = clusterSize(before, after);
  const [left, right] = [before.count / clusters, after.count / clusters];
  const share = after.of / (before.of + after.of);
  const tail = Math.min(
    binomialTail(right, left + right, share),
    binomialTail(left, left + right, 1 - share),
  );
  return Math.min(1, 2 * tail);
}

/** Pearson's index of dispersion; at least 1. */
function clusterSize(...sides: readonly Frequency[]): number {
  let [sum, freedom] = [0, 0];
  for (const { count, inBatches } of sides) {
    const mean = count / inBatches.length;
    if (mean === 0) continue;
    for (const each of inBatches) sum += (each - mean) ** 2 / mean;
    freedom += inBatches.length - 1;
  }
  // One stretch alone does not tell.
  return freedom === 0 ? Number.POSITIVE_INFINITY : Math.max(1, sum / freedom);
}

/** Into how many stretches so many cases are divided. */
export function batchesOf(cases: number): number {
  return Math.min(BATCHES, Math.floor(cases));
}

/**
 * Holm's rule: which of many comparisons are certain, if the chance that even one of them is wrong is to be small.
 *
 * @returns each probability, adjusted for the number of comparisons
 */
export function adjusted(probabilities: readonly number[]): number[] {
  const order = probabilities.map((_, index) => index);
  order.sort((a, b) => (probabilities[a] as number) - (probabilities[b] as number));
  const result = new Array<number>(probabilities.length);
  let least = 0;
  for (const [rank, index] of order.entries()) {
    least = Math.max(least, Math.min(1, (probabilities[index] as number) * (order.length - rank)));
    result[index] = least;
  }
  return result;
}

/** @param sorted not empty */
function quantile(sorted: Values, share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] as number;
}

/** With order statistics as its 95 % confidence interval, wider where neighbours are alike. */
function quantileInterval(
  values: Values,
  share: number,
): { readonly at: number; readonly low: number; readonly high: number } {
  const sorted = values.slice().sort();
  const at = quantile(sorted, share);
  const effect = designEffect(values.map((value) => (value > at ? 1 : 0)));
  const half = NORMAL_95 * Math.sqrt(values.length * share * (1 - share) * effect);
  const rank = share * values.length;
  return {
    at,
    low: sorted[Math.ceil(rank - half) - 1] ?? Number.NEGATIVE_INFINITY,
    high: sorted[Math.ceil(rank + half)] ?? Number.POSITIVE_INFINITY,
  };
}

/** Says by how much more the means of stretches vary than if the values were independent; at least 1. */
function designEffect(values: Values): number {
  const means = batchMeans(values);
  const mean = sumOf(values) / values.length;
  const expected = (mean * (1 - mean) * means.length) / values.length;
  return expected === 0 || means.length < 2 ? 1 : Math.max(1, varianceOf(means) / expected);
}

function batchMeans(values: Values): number[] {
  const count = batchesOf(values.length);
  return Array.from({ length: count }, (_, index) => {
    const from = Math.floor((index * values.length) / count);
    const to = Math.floor(((index + 1) * values.length) / count);
    return sumOf(values.subarray(from, to)) / (to - from);
  });
}

/** Welch's test of two means, both sides. */
function batchP(before: readonly number[], after: readonly number[]): number {
  if (before.length < 2 || after.length < 2) return 1;
  const change = meanOf(after) - meanOf(before);
  const left = varianceOf(before) / before.length;
  const right = varianceOf(after) / after.length;
  if (change === 0) return 1;
  if (left + right === 0) return 0;
  const freedom = (left + right) ** 2 / (left ** 2 / (before.length - 1) + right ** 2 / (after.length - 1));
  const squared = change ** 2 / (left + right);
  return incompleteBeta(freedom / (freedom + squared), freedom / 2, 0.5);
}

function meanOf(values: readonly number[]): number {
  return sumOf(values) / values.length;
}

function varianceOf(values: readonly number[]): number {
  const mean = meanOf(values);
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
}

function sumOf(values: Iterable<number>): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

/**
 * Fisher's exact test: `found` of the `drawn` are marked, as are `marked` of `all`.
 *
 * @returns twice the smaller tail
 */
function hypergeometricP(found: number, drawn: number, marked: number, all: number): number {
  const least = Math.max(0, drawn + marked - all);
  const most = Math.min(drawn, marked);
  if (least === most) return 1;
  const isLow = found < (drawn * marked) / all;
  let term = Math.exp(
    logChoose(drawn, found) + logChoose(all - drawn, marked - found) - logChoose(all, marked),
  );
  let tail = 0;
  // From the observed count away from the expected one: each term follows from the one before, and is smaller.
  for (let k = found; term > tail * Number.EPSILON; k += isLow ? -1 : 1) {
    tail += term;
    const neither = all - drawn - marked + k;
    term *= isLow
      ? (k * neither) / ((drawn - k + 1) * (marked - k + 1))
      : ((drawn - k) * (marked - k)) / ((k + 1) * (neither + 1));
  }
  return Math.min(1, 2 * tail);
}

/** How probable it is that at least `count` of `all` happen. */
function binomialTail(count: number, all: number, probability: number): number {
  return count === 0 ? 1 : incompleteBeta(probability, count, all - count + 1);
}

function logChoose(all: number, chosen: number): number {
  return logGamma(all + 1) - logGamma(chosen + 1) - logGamma(all - chosen + 1);
}

const LANCZOS = [
  676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
  -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

/** Lanczos' approximation, for values of at least 0.5. */
function logGamma(value: number): number {
  const x = value - 1;
  const t = x + LANCZOS.length - 0.5;
  const sum = LANCZOS.reduce((sum, factor, index) => sum + factor / (x + index + 1), 0.99999999999980993);
  return 0.5 * Math.log(2 * Math.PI) + (x + 0.5) * Math.log(t) - t + Math.log(sum);
}

/** The regularized incomplete beta function, as a continued fraction (Numerical Recipes, 6.4). */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  const safe = (value: number) => (Math.abs(value) < 1e-300 ? 1e-300 : value);
  let c = 1;
  let d = 1 / safe(1 - ((a + b) * x) / (a + 1));
  let result = d;
  for (let i = 1, factor = 0; i <= 10_000 && Math.abs(factor - 1) > 1e-14; i++) {
    const even = (i * (b - i) * x) / ((a + 2 * i - 1) * (a + 2 * i));
    d = 1 / safe(1 + even * d);
    c = safe(1 + even / c);
    result *= d * c;
    const odd = (-(a + i) * (a + b + i) * x) / ((a + 2 * i) * (a + 2 * i + 1));
    d = 1 / safe(1 + odd * d);
    c = safe(1 + odd / c);
    factor = d * c;
    result *= factor;
  }
  return (front * result) / a;
}
