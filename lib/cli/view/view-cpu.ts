/** `tracewright view FILE --cpu`: CPU samples by activity and function. */
import type { Trace } from '../../trace/trace.ts';
import type { TraceEvent } from '../../trace/trace-event.ts';
import { NO_SWITCHES } from '../../view/cpu/charged-samples.ts';
import { CpuAccount } from '../../view/cpu/cpu-account.ts';
import { type CpuTime, cpuActivity, namedTimes } from '../../view/cpu/cpu-activities.ts';
import type { FrameNames } from '../../view/cpu/frame-names.ts';
import { milliseconds, thousands } from '../../view/number-text.ts';
import { warn } from '../messages.ts';
import type { Output } from '../output.ts';
import { type TableColumn, TerminalTable } from '../terminal/terminal-table.ts';
import { indented, percent, printFunctions } from './view-functions.ts';
import type { Selection } from './view-selection.ts';

/** The thread ran the activity, but had no processor: it was in a system call, for example. */
const OFF = 'OFF_CPU_MSEC';
const ACTIVITY_COLUMNS: readonly TableColumn[] = [
  { title: 'TOTAL_MSEC', align: 'right' },
  { title: 'TOTAL_%', align: 'right' },
  { title: 'SELF_MSEC', align: 'right', dropOrder: 1 },
  { title: 'SELF_%', align: 'right', dropOrder: 0 },
  { title: OFF, align: 'right', dropOrder: 3 },
  { title: 'COUNT', align: 'right', dropOrder: 2 },
  { title: 'Activity Name', cut: 'start' },
];

export class CpuView {
  trace: Trace | undefined = undefined;
  readonly #selected: Selection;
  readonly #account: CpuAccount;

  constructor(selected: Selection, names: FrameNames) {
    this.#selected = selected;
    this.#account = new CpuAccount(names, selected.isRoot);
  }

  add(event: TraceEvent): void {
    this.#account.add(event);
  }

  print(output: Output, isJson: boolean): void {
    this.#account.end();
    const print = () => this.#printFunctions(output, isJson);
    if (isJson) print();
    if (this.#account.switches > 0) this.#printActivities(output, isJson);
    if (!isJson) print();
  }

  /** Says what the output does not. @throws Error if the selected activities have no samples */
  finish(files: string): void {
    const { omitted } = this.#account.profile;
    const { wanted } = this.#selected;
    if (omitted > 0) warn(`${thousands(omitted)} samples are omitted: there are too many.`);
    if (this.#account.activities.all.samples === 0 && this.#account.profile.samples === 0) {
      warn(`${files} has no CPU samples.`);
    } else if (this.#account.switches === 0) {
      const problem = `No CPU sample of ${files} can be charged to an activity: ${NO_SWITCHES}.`;
      if (wanted !== undefined) throw new Error(problem);
    } else if (wanted !== undefined && this.#account.profile.samples === 0) {
      throw new Error(`${files} has no CPU samples in ${wanted}.`);
    }
  }

  #printFunctions(output: Output, isJson: boolean): void {
    const { counted } = this.#account.profile;
    for (const [i, each] of counted.entries()) {
      const costs = this.#account.profile.costs(
        this.trace?.processNames ?? new Map(),
        this.trace?.mappings,
        each,
      );
      if (i > 0 && !isJson) output.line('');
      printFunctions(costs, counted.length > 1 ? each : undefined, output, isJson);
    }
  }

  #printActivities(output: Output, isJson: boolean): void {
    const { all, charged } = this.#account.activities;
    const isShown = (_: unknown, index: number) => all.offNs > 0 || ACTIVITY_COLUMNS[index]?.title !== OFF;
    const table = new TerminalTable(ACTIVITY_COLUMNS.filter(isShown), output);
    const nsOf = (time: CpuTime) => this.#account.nsOf(time);
    const allNs = nsOf(all);
    for (const { node, path } of namedTimes(this.#account.activities.names(), nsOf)) {
      const [total, self] = [nsOf(node.total), nsOf(node.self)];
      if (isJson) output.json(cpuActivity(node, path, nsOf));
      else {
        const cells = [
          milliseconds(total),
          percent(total, allNs),
          self === 0 ? '' : milliseconds(self),
          self === 0 ? '' : percent(self, allNs),
          node.total.offNs === 0 ? '' : milliseconds(node.total.offNs),
          node.isNobody ? '' : thousands(node.activities),
          indented(node.name, path.length),
        ];
        table.row(cells.filter(isShown));
      }
    }
    if (isJson) return;
    const nobody = all.samples - charged.samples;
    const off = all.offNs > 0 ? `, and ${milliseconds(all.offNs)} ms without a processor,` : '';
    output.line(
      `${milliseconds(allNs)} ms of CPU time${off} in ${thousands(all.samples)} samples, of which ` +
        `${thousands(nobody)} (${percent(nobody, all.samples)} %) are charged to no activity`,
    );
    table.end();
    output.line('');
  }
}
