/** The calls in a report's stacks: a tree of functions, below the processes that ran them. */
import type { ReportFrame, ReportHeader } from '../view/report/report-header.ts';
import type { Columns } from './columns.ts';
import { wholeNumbers } from './numbers.ts';

export class CallTree {
  readonly frames: readonly ReportFrame[];
  /** The index is a node: its caller, which comes before it, or -1; and the index of its function. */
  readonly parent: Int32Array;
  readonly frame: Uint32Array;
  /** The index is a stack, the value its innermost node. */
  readonly leaf: Uint32Array;

  constructor({ frames }: ReportHeader, columns: Columns) {
    this.frames = frames;
    this.parent = Int32Array.from(wholeNumbers(columns.nodeParent), (up, node) =>
      up === 0 ? -1 : node - up,
    );
    this.frame = wholeNumbers(columns.nodeFrame);
    this.leaf = wholeNumbers(columns.stackNode);
  }

  /** The functions of a stack, innermost first. */
  *stack(index: number): Generator<ReportFrame, void, undefined> {
    for (let node = this.leaf[index] ?? -1; node >= 0; node = this.parent[node] as number) {
      yield this.frames[this.frame[node] as number] as ReportFrame;
    }
  }
}
