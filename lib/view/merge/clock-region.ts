/**
 * Every possible relation of one clock to another: a convex region of offsets and drifts, cut by each fact about what
 * happened before what. An empty region means that the facts contradict each other.
 *
 * The clock is ahead by `offset + drift * time` at its own `time`. A fact bounds that from above or from below at one
 * time, which is a half-plane of offset and drift. So for any time, the corners of the region give the least and the
 * most that the clock may be ahead: unlike a line through the tightest bounds, the region gives the error with the
 * estimate.
 */

/** How far a clock is ahead of another at its own time 0, and how much that grows with each of its seconds. */
export interface ClockLine {
  /** The offset is in nanoseconds. */
  readonly offsetNs: number;
  /** The drift is in nanoseconds per second: 1000 are one ppm. */
  readonly driftNsPerS: number;
}

export type Side = 'atMost' | 'atLeast';

/** Clocks that drift faster are broken; NTP's clock discipline slews by at most this much. */
const MAX_DRIFT_NS_PER_S = 500_000;
/** Several days. Larger offsets only occur between times of different origins, which are not compared here. */
const MAX_OFFSET_NS = 1e15;
/** The rounding error of numbers of this size. */
export const ROUNDING_NS = 1;
/** Only crafted bounds produce more. Without further cuts, the region is larger than necessary, but not wrong. */
const MAX_CORNERS = 1000;
const NS_PER_S = 1e9;

export class ClockRegion {
  /** The corners, around the region. */
  #corners: readonly ClockLine[] = [
    { offsetNs: -MAX_OFFSET_NS, driftNsPerS: -MAX_DRIFT_NS_PER_S },
    { offsetNs: MAX_OFFSET_NS, driftNsPerS: -MAX_DRIFT_NS_PER_S },
    { offsetNs: MAX_OFFSET_NS, driftNsPerS: MAX_DRIFT_NS_PER_S },
    { offsetNs: -MAX_OFFSET_NS, driftNsPerS: MAX_DRIFT_NS_PER_S },
  ];

  get isEmpty(): boolean {
    return this.#corners.length === 0;
  }

  /** Removes what exceeds the bound at the clock's time. */
  cut(side: Side, timeNs: number, aheadNs: number): void {
    const sign = side === 'atMost' ? 1 : -1;
    const excess = (line: ClockLine) => sign * (aheadAt(line, timeNs) - aheadNs);
    const corners = this.#corners;
    if (corners.length > MAX_CORNERS || corners.every((corner) => excess(corner) <= ROUNDING_NS)) return;
    const kept: ClockLine[] = [];
    let last = corners.at(-1);
    for (const corner of corners) {
      const [before, here] = [excess(last ?? corner), excess(corner)];
      if (before > ROUNDING_NS !== here > ROUNDING_NS)
        kept.push(between(last ?? corner, corner, before, here));
      if (here <= ROUNDING_NS) kept.push(corner);
      last = corner;
    }
    this.#corners = kept;
  }

  /** The center of the region; undefined if it is empty. */
  get center(): ClockLine | undefined {
    const [origin] = this.#corners;
    if (origin === undefined) return undefined;
    let [area, offset, drift] = [0, 0, 0];
    for (const [i, corner] of this.#corners.entries()) {
      const before = this.#corners.at(i - 1) as ClockLine;
      // The triangle with the first corner: differences keep the digits that large offsets would cost.
      const part = cross(origin, before, corner);
      area += part;
      offset += part * (before.offsetNs - origin.offsetNs + (corner.offsetNs - origin.offsetNs));
      drift += part * (before.driftNsPerS - origin.driftNsPerS + (corner.driftNsPerS - origin.driftNsPerS));
    }
    if (Math.abs(area) < Number.EPSILON) return origin;
    return {
      offsetNs: origin.offsetNs + offset / (3 * area),
      driftNsPerS: origin.driftNsPerS + drift / (3 * area),
    };
  }

  /** How far off the line may be at the clock's time. */
  errorNs(line: ClockLine, timeNs: number): number {
    const ahead = aheadAt(line, timeNs);
    return this.#corners.reduce(
      (most, corner) => Math.max(most, Math.abs(aheadAt(corner, timeNs) - ahead)),
      0,
    );
  }

  driftErrorNsPerS({ driftNsPerS }: ClockLine): number {
    return this.#corners.reduce(
      (most, corner) => Math.max(most, Math.abs(corner.driftNsPerS - driftNsPerS)),
      0,
    );
  }
}

/** How far the clock is ahead at its own time. */
export function aheadAt({ offsetNs, driftNsPerS }: ClockLine, timeNs: number): number {
  return offsetNs + driftNsPerS * (timeNs / NS_PER_S);
}

/** Returns where an edge crosses the bound. */
function between(from: ClockLine, to: ClockLine, fromExcess: number, toExcess: number): ClockLine {
  const share = fromExcess / (fromExcess - toExcess);
  return {
    offsetNs: from.offsetNs + share * (to.offsetNs - from.offsetNs),
    driftNsPerS: from.driftNsPerS + share * (to.driftNsPerS - from.driftNsPerS),
  };
}

/** Twice the area of the triangle, negative if it turns the other way. */
function cross(a: ClockLine, b: ClockLine, c: ClockLine): number {
  return (
    (b.offsetNs - a.offsetNs) * (c.driftNsPerS - a.driftNsPerS) -
    (b.driftNsPerS - a.driftNsPerS) * (c.offsetNs - a.offsetNs)
  );
}
