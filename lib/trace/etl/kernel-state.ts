/**
 * What the kernel's records say about processors, threads and processes over time, so that records without ids of their
 * own get those of the running thread.
 */

import { kernelEvent } from '../../known/kernel.ts';
import type { EtlRecord } from '../../wire/etl/buffer.ts';
import { KernelGroup } from '../../wire/etl/constants.ts';
import { payloadProcessIdOf, payloadThreadIdOf } from '../../wire/etl/payload-ids.ts';
import {
  groupOf,
  headerEndOf,
  layoutKind,
  opcodeOf,
  pointerSizeOf,
  processIdOf,
  threadIdOf,
  versionOf,
} from '../../wire/etl/record.ts';
import { Layout } from '../../wire/etl/record-type.ts';
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
  /** The thread and process of the last observed record, as far as known. */
  threadId: number | undefined = undefined;
  processId: number | undefined = undefined;
  readonly #processOfThread = new Map<number, number>();
  readonly #threadOnProcessor = new Map<number, number>();

  constructor(processNames: Map<number, string>) {
    this.processNames = processNames;
  }

  /**
   * A pass before the records come in order: learns processes and threads that are listed at the end of the trace, or
   * started before it.
   */
  preview(record: EtlRecord): void {
    this.#learn(record, false);
  }

  /** Takes the next record in time order. */
  observe(record: EtlRecord): void {
    this.#learn(record, true);
    const isSystem = layoutKind(record) === Layout.System;
    const ran = isSystem ? threadIdOf(record) : this.#threadOnProcessor.get(record.buffer.header.processor);
    const ranIn = isSystem ? processIdOf(record) : this.#processOf(ran);
    const thread = payloadThreadIdOf(record);
    const process = payloadProcessIdOf(record);
    if (thread !== undefined) {
      this.threadId = thread;
      this.processId = process ?? (thread === ran ? ranIn : this.#processOf(thread));
    } else {
      // If only a process is known that is not the running one, its thread is unknown.
      this.threadId = process === undefined || process === ranIn ? ran : undefined;
      this.processId = process ?? ranIn;
    }
  }

  #processOf(thread: number | undefined): number | undefined {
    return thread === undefined ? undefined : this.#processOfThread.get(thread);
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

  /** Process u32, thread u32, and more; in version 0 (Windows 2000) the other way round. */
  #learnThread(record: EtlRecord, inOrder: boolean): void {
    const at = headerEndOf(record);
    if (at + 8 > record.end) return;
    const { view } = record.buffer;
    const [first, second] = [view.getUint32(at, true), view.getUint32(at + 4, true)];
    const [thread, process] = versionOf(record) === 0 ? [first, second] : [second, first];
    if (inOrder || !this.#processOfThread.has(thread)) this.#processOfThread.set(thread, process);
  }

  /** The new thread u32, the old one u32, and more. */
  #learnSwitch(record: EtlRecord): void {
    const at = headerEndOf(record);
    if (at + 4 > record.end) return;
    this.#threadOnProcessor.set(record.buffer.header.processor, record.buffer.view.getUint32(at, true));
  }
}
