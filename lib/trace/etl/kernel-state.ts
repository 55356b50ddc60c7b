/**
 * What the kernel's records tell of processors, threads and processes as time goes by, so that records
 * without ids of their own can be given those of the thread that ran.
 */
import { KernelGroup } from '../../wire/etl/constants.ts';
import { payloadProcessIdOf, payloadThreadIdOf } from '../../wire/etl/payload-ids.ts';
import {
  groupOf,
  headerEndOf,
  layoutKind,
  opcodeOf,
  pointerSizeOf,
  versionOf,
} from '../../wire/etl/record.ts';
import type { EtlRecord } from '../../wire/etl/record-cursor.ts';
import { Layout } from '../../wire/etl/record-type.ts';
import { kernelEvent } from '../../wire/known/kernel.ts';
import { decodePacked } from '../../wire/packed/decode.ts';

const START = 1;
const DC_START = 3;
const DC_END = 4;
const CONTEXT_SWITCH = 36;

export function isKernelRecord(layout: Layout): boolean {
  return layout === Layout.System || layout === Layout.PerfInfo;
}

export class KernelState {
  readonly processNames: Map<number, string>;
  readonly #processOfThread = new Map<number, number>();
  readonly #threadOnProcessor = new Map<number, number>();

  constructor(processNames: Map<number, string>) {
    this.processNames = processNames;
  }

  /**
   * Before the records come in order: learns of processes and threads that the trace's end lists, or that
   * came before its start.
   */
  preview(record: EtlRecord): void {
    this.#learn(record, false);
  }

  /** Takes the next record in the order of time. */
  observe(record: EtlRecord): void {
    this.#learn(record, true);
  }

  /** Of a record that has none in its header. */
  threadOf(record: EtlRecord): number | undefined {
    if (layoutKind(record) !== Layout.PerfInfo) return undefined;
    return payloadThreadIdOf(record) ?? this.#threadOnProcessor.get(record.buffer.header.processor);
  }

  processOf(record: EtlRecord, thread: number | undefined): number | undefined {
    if (layoutKind(record) !== Layout.PerfInfo) return undefined;
    const told = payloadProcessIdOf(record);
    return told ?? (thread === undefined ? undefined : this.#processOfThread.get(thread));
  }

  #learn(record: EtlRecord, inOrder: boolean): void {
    const group = groupOf(record);
    if (group !== KernelGroup.Thread && group !== KernelGroup.Process) return;
    const opcode = opcodeOf(record);
    const isListed = opcode === START || opcode === DC_START;
    if (group === KernelGroup.Process) {
      if (isListed || (opcode === DC_END && !inOrder)) this.#learnProcess(record, inOrder);
    } else if (opcode === CONTEXT_SWITCH) {
      if (inOrder) this.#learnSwitch(record);
    } else if (isListed || (opcode === DC_END && !inOrder)) {
      this.#learnThread(record, inOrder);
    }
  }

  #learnProcess(record: EtlRecord, inOrder: boolean): void {
    const description = kernelEvent(KernelGroup.Process, opcodeOf(record), versionOf(record));
    if (description === undefined) return;
    const payload = record.buffer.bytes.subarray(headerEndOf(record), record.end);
    const { ProcessID: id, ImageFileName: name } = decodePacked(
      description.fields,
      payload,
      pointerSizeOf(record),
    ).payload;
    if (typeof id !== 'number' || typeof name !== 'string') return;
    if (inOrder || !this.processNames.has(id)) this.processNames.set(id, name);
  }

  /** Process u32, thread u32, and more. */
  #learnThread(record: EtlRecord, inOrder: boolean): void {
    const at = headerEndOf(record);
    if (versionOf(record) === 0 || at + 8 > record.end) return;
    const { view } = record.buffer;
    const thread = view.getUint32(at + 4, true);
    if (inOrder || !this.#processOfThread.has(thread)) {
      this.#processOfThread.set(thread, view.getUint32(at, true));
    }
  }

  /** The new thread u32, the old one u32, and more. */
  #learnSwitch(record: EtlRecord): void {
    const at = headerEndOf(record);
    if (at + 4 > record.end) return;
    this.#threadOnProcessor.set(record.buffer.header.processor, record.buffer.view.getUint32(at, true));
  }
}
