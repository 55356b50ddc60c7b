/**
 * Assigns each bar of a timeline to a row: below its parent, beside others that it does not overlap, in the topmost row
 * possible.
 *
 * A bar and everything below it form a block. The blocks of one parent share tracks; a track is as high as its highest
 * block.
 */
import { Heap, type HeapItem } from '../base/heap.ts';
import { type Grouped, grouped, itemsOf } from './grouped.ts';

/** Bars in order of their starts. */
interface Bars {
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** An earlier bar of the same lane, or -1. */
  readonly parent: Int32Array;
  readonly lane: Int32Array;
}

interface Stacking {
  /** The row within the lane. */
  readonly row: Int32Array;
  /** Rows of each lane. */
  readonly laneHeights: Uint32Array;
}

export function stack(bars: Bars, laneCount: number): Stacking {
  const { start, end, parent, lane } = bars;
  const count = start.length;
  const blockEnd = Float64Array.from(end);
  for (let bar = count - 1; bar >= 0; bar--) {
    const above = parent[bar] as number;
    if (above >= 0) blockEnd[above] = Math.max(blockEnd[above] as number, blockEnd[bar] as number);
  }
  const blocks: Blocks = {
    start,
    end: blockEnd,
    height: new Uint32Array(count),
    offset: new Uint32Array(count),
  };
  const children = grouped(parent, count);
  // Children come after their parents: in reverse order, their heights are known before the parent's is needed.
  for (let bar = count - 1; bar >= 0; bar--) blocks.height[bar] = 1 + arrange(blocks, itemsOf(children, bar));
  const laneHeights = new Uint32Array(laneCount);
  const tops = topsOf(parent, lane, laneCount);
  for (let index = 0; index < laneCount; index++) laneHeights[index] = arrange(blocks, itemsOf(tops, index));
  const row = new Int32Array(count);
  for (let bar = 0; bar < count; bar++) {
    const above = parent[bar] as number;
    row[bar] = (blocks.offset[bar] as number) + (above < 0 ? 0 : (row[above] as number) + 1);
  }
  return { row, laneHeights };
}

function topsOf(parent: Int32Array, lane: Int32Array, laneCount: number): Grouped {
  return grouped(
    lane.map((index, bar) => ((parent[bar] as number) < 0 ? index : -1)),
    laneCount,
  );
}

interface Blocks {
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly height: Uint32Array;
  /** Rows below the parent's row, or from the lane's top. */
  readonly offset: Uint32Array;
}

interface Track extends HeapItem {
  /** The index counts from the top. */
  readonly index: number;
  height: number;
  /** The time at which the track becomes free. */
  end: number;
}

const endsBefore = (a: Track, b: Track) => a.end < b.end;
const isAbove = (a: Track, b: Track) => a.index < b.index;

/** Places blocks in order of their starts; returns their total height. */
function arrange({ start, end, height, offset }: Blocks, members: Uint32Array): number {
  if (members.length === 0) return 0;
  const tracks: Track[] = [];
  const busy = new Heap(endsBefore);
  const free = new Heap(isAbove);
  for (const member of members) {
    for (
      let next = busy.first;
      next !== undefined && next.end <= (start[member] as number);
      next = busy.first
    ) {
      busy.remove(next);
      free.add(next);
    }
    let track = free.first;
    if (track === undefined) {
      track = { heapIndex: -1, index: tracks.length, height: 0, end: 0 };
      tracks.push(track);
    } else {
      free.remove(track);
    }
    track.height = Math.max(track.height, height[member] as number);
    track.end = end[member] as number;
    offset[member] = track.index;
    busy.add(track);
  }
  let total = 0;
  const trackTops = tracks.map((track) => {
    const top = total;
    total += track.height;
    return top;
  });
  for (const member of members) offset[member] = trackTops[offset[member] as number] as number;
  return total;
}
