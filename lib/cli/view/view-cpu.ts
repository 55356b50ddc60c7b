/** `tracewright view FILE --cpu`: CPU samples by activity and function. */
import type { Trace } from '../../trace/trace.ts';
import type { TraceEvent } from '../../trace/trace-event.ts';
import { ChargedSamples, NO_SWITCHES } from '../../view/cpu/charged-samples.ts';
import { CpuActivities, type CpuName, type CpuTime, namedTimes } from '../../view/cpu/cpu-activities.ts';
import { CpuProfile } from '../../view/cpu/cpu-profile.ts';
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
  trace: Trace | undefined;
  readonly #selected: Selection;
  readonly #profile: CpuProfile;
  readonly #activities: CpuActivities;
  readonly #charged: ChargedSamples;

  constructor(selected: Selection, names: FrameNames) {
    this.#selected = selected;
    this.#profile = new CpuProfile(names);
    this.#activities = new CpuActivities(selected.isRoot);
    this.#charged = new ChargedSamples(this.#activities.activities, names, (sample) => {
      const isSelected = sample.isBusy && this.#activities.addSample(sample);
      if (isSelected || selected.isRoot === undefined) this.#profile.count(sample.subject, sample.onCpu);
    });
  }

  add(event: TraceEvent): void {
    this.#activities.add(event);
    const stack = this.#profile.take(event);
    if (stack === undefined) this.#charged.addEvent(event);
    else if (!this.#charged.addSample(event, stack) && this.#selected.isRoot === undefined) {
      this.#profile.count(stack);
    }
  }

  print(output: Output, isJson: boolean): void {
    this.#charged.end();
    const print = () => this.#printFunctions(output, isJson);
    if (isJson) print();
    if (this.#charged.switches > 0) this.#printActivities(output, isJson);
    if (!isJson) print();
  }

  /** Says what the output does not. @throws Error if the selected activities have no samples */
  finish(files: string): void {
    const { omitted } = this.#profile;
    const { wanted } = this.#selected;
    if (omitted > 0) warn(`${thousands(omitted)} samples are omitted: there are too many.`);
    if (this.#activities.all.samples === 0 && this.#profile.samples === 0) {
      warn(`${files} has no CPU samples.`);
    } else if (this.#charged.switches === 0) {
      const problem = `No CPU sample of ${files} can be charged to an activity: ${NO_SWITCHES}.`;
      if (wanted !== undefined) throw new Error(problem);
    } else if (wanted !== undefined && this.#profile.samples === 0) {
      throw new Error(`${files} has no CPU samples in ${wanted}.`);
    }
  }

  #printFunctions(output: Output, isJson: boolean): void {
    const { counted } = this.#profile;
    for (const [i, each] of counted.entries()) {
      const costs = this.#profile.costs(this.trace?.processNames ?? new Map(), this.trace?.mappings, each);
      if (i > 0 && !isJson) output.line('');
      printFunctions(costs, counted.length > 1 ? each : undefined, output, isJson);
    }
  }

  #printActivities(output: Output, isJson: boolean): void {
    const { all, charged } = this.#activities;
    const isShown = (_: unknown, index: number) => all.offNs > 0 || ACTIVITY_COLUMNS[index]?.title !== OFF;
    const table = new TerminalTable(ACTIVITY_COLUMNS.filter(isShown), output);
    const allNs = this.#nsOf(all);
    for (const { node, path } of namedTimes(this.#activities.names(), (time) => this.#nsOf(time))) {
      const [total, self] = [this.#nsOf(node.total), this.#nsOf(node.self)];
      if (isJson) output.json(asJson(node, path, total, self));
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

  #nsOf({ ns, intervals }: CpuTime): number {
    return Math.round(ns + intervals * this.#charged.intervalNs);
  }
}

function asJson(node: CpuName, path: readonly string[], totalNs: number, selfNs: number): object {
  const { name, isNobody, activities, total, self } = node;
  return {
    activity: isNobody ? undefined : name,
    nobody: isNobody ? name : undefined,
    inside: path,
    activities,
    totalMSec: totalNs / 1e6,
    selfMSec: selfNs / 1e6,
    offCpuMSec: total.offNs / 1e6,
    totalSamples: total.samples,
    selfSamples: self.samples,
  };
}
