/**
 * Writes samples, and before them the names of the functions in their stacks, as .NET's runtime writes those of methods.
 *
 * TraceEvent's TraceLog applies MethodDCStop only to the stacks before it, and MethodDCStart to all of a file. A file may
 * begin at any sequence point, and its process may be killed at any time: so the samples between two sequence points
 * come with all of their names.
 *
 * Source: Microsoft's "Method Events" and "Loader Events" of the .NET runtime.
 */
import type { ThreadTimes } from '../../platform/thread-times.ts';
import { TypeCode } from '../../wire/nettrace/constants.ts';
import { NetTraceBytes } from '../../wire/nettrace/write/byte-writer.ts';
import type { EventSink, ThreadHandle, WrittenMetadata } from '../../wire/nettrace/write/trace-parts.ts';
import {
  DOMAIN_MODULE_DC_START,
  METHOD_DC_START_VERBOSE,
  MODULE_DC_START,
  SampleType,
  THREAD_SAMPLE,
} from './dotnet-events.ts';
import { METHOD_SIZE, type Method, type MethodTable, type Module } from './method-table.ts';
import type { CpuSample } from './profiled-samples.ts';

/** The process has only one runtime. */
const CLR_INSTANCE_ID = 0;
/** JavaScript has no assemblies: all of it counts as one. */
const ASSEMBLY_ID = 1n;
const APP_DOMAIN_ID = 1n;
/** MethodFlags: the method was compiled by the runtime. */
const JITTED = 0x8;

/** What the samples between two of these stand for: V8 also samples a thread that waits, or has no processor. */
const THREAD_TIMES: WrittenMetadata = {
  provider: 'Node.Runtime',
  // Far from the ids that follow from the order of the source's events.
  eventId: 1001,
  name: 'ThreadTimes',
  keywords: 0n,
  version: 0,
  level: 4,
  fields: ['threadCpuMSec', 'loopIdleMSec'].map((name) => ({ name, type: { code: TypeCode.Double } })),
};

const EXTERNAL = payloadOf(SampleType.External);
const MANAGED = payloadOf(SampleType.Managed);

export class NamedSamples {
  readonly #writer: EventSink;
  readonly #profiler: ThreadHandle;
  readonly #sampled: ThreadHandle;
  readonly #methods: MethodTable;
  readonly #metadataIds = new Map<WrittenMetadata, number>();
  readonly #bytes = new NetTraceBytes();
  /** What has its names since the last sequence point. */
  readonly #stacks = new Set<CpuSample['stack']>();
  readonly #named = new Set<bigint | Module>();

  /**
   * @param profiler the thread that writes the samples
   * @param sampled the thread that they are about
   * @param methods has the addresses of the stacks
   */
  constructor(writer: EventSink, profiler: ThreadHandle, sampled: ThreadHandle, methods: MethodTable) {
    this.#writer = writer;
    this.#profiler = profiler;
    this.#sampled = sampled;
    this.#methods = methods;
  }

  #lastTicks = 0n;

  /** Call this after each sequence point. */
  forgetNames(): void {
    this.#stacks.clear();
    this.#named.clear();
  }

  write({ stack, isJavaScript }: CpuSample, ticks: bigint): void {
    if (!this.#stacks.has(stack)) {
      for (const address of stack) this.#name(address, ticks);
      this.#stacks.add(stack);
    }
    this.#event(THREAD_SAMPLE, ticks, isJavaScript ? MANAGED : EXTERNAL, stack);
  }

  /** @param ticks when the times were read */
  writeTimes({ threadCpuMSec, loopIdleMSec }: ThreadTimes, ticks: bigint): void {
    this.#bytes.float64(threadCpuMSec);
    this.#bytes.float64(loopIdleMSec);
    this.#event(THREAD_TIMES, ticks);
  }

  /** What comes late is as late as what came before it: a thread's events do not go back in time. */
  #inOrder(ticks: bigint): bigint {
    if (ticks > this.#lastTicks) this.#lastTicks = ticks;
    return this.#lastTicks;
  }

  #name(address: bigint, ticks: bigint): void {
    if (this.#named.has(address)) return;
    const method = this.#methods.methodAt(address);
    const { module } = method;
    if (!this.#named.has(module)) {
      this.#writeModule(module, []);
      this.#event(MODULE_DC_START, ticks);
      this.#writeModule(module, [APP_DOMAIN_ID]);
      this.#event(DOMAIN_MODULE_DC_START, ticks);
      this.#named.add(module);
    }
    this.#writeMethod(method);
    this.#event(METHOD_DC_START_VERBOSE, ticks);
    this.#named.add(address);
  }

  /** About the sampled thread; the profiler's, which writes it, keeps all of them in order. */
  #event(
    kind: WrittenMetadata,
    at: bigint,
    payload: Uint8Array = this.#bytes.take(),
    stack?: readonly bigint[],
  ): void {
    const [thread, ofThread, ticks] = [this.#profiler, this.#sampled, this.#inOrder(at)];
    this.#writer.write({ metadataId: this.#idOf(kind), thread, ofThread, ticks, stack, payload });
  }

  #idOf(kind: WrittenMetadata): number {
    let id = this.#metadataIds.get(kind);
    if (id === undefined) {
      id = this.#writer.define(kind);
      this.#metadataIds.set(kind, id);
    }
    return id;
  }

  #writeModule({ id, path }: Module, appDomain: readonly bigint[]): void {
    const bytes = this.#bytes;
    bytes.uint64(id);
    bytes.uint64(ASSEMBLY_ID);
    for (const domainId of appDomain) bytes.uint64(domainId);
    bytes.uint32(0); // ModuleFlags
    bytes.uint32(0); // Reserved1
    bytes.utf16Terminated(path);
    bytes.utf16Terminated(''); // ModuleNativePath
    bytes.uint16(CLR_INSTANCE_ID);
  }

  #writeMethod({ module, startAddress, token, namespace, name, signature }: Method): void {
    const bytes = this.#bytes;
    bytes.uint64(startAddress); // MethodID
    bytes.uint64(module.id);
    bytes.uint64(startAddress);
    bytes.uint32(METHOD_SIZE);
    bytes.uint32(token);
    bytes.uint32(JITTED);
    bytes.utf16Terminated(namespace);
    bytes.utf16Terminated(name);
    bytes.utf16Terminated(signature);
    bytes.uint16(CLR_INSTANCE_ID);
  }
}

function payloadOf(type: number): Uint8Array {
  const bytes = new NetTraceBytes();
  bytes.uint32(type);
  return bytes.take();
}
