/**
 * Writes the names of the methods in the samples' stacks when a session ends.
 *
 * Source: Microsoft's "Method Events" and "Loader Events" of the .NET runtime.
 */
import { NetTraceBytes } from '../../wire/nettrace/write/byte-writer.ts';
import type { EventSink, ThreadHandle, WrittenMetadata } from '../../wire/nettrace/write/trace-parts.ts';
import {
  DOMAIN_MODULE_DC_END,
  METHOD_DC_END_COMPLETE,
  METHOD_DC_END_INIT,
  METHOD_DC_END_VERBOSE,
  MODULE_DC_END,
} from './dotnet-events.ts';
import { METHOD_SIZE, type Method, type MethodTable, type Module } from './method-table.ts';

/** The process has only one runtime. */
const CLR_INSTANCE_ID = 0;
/** JavaScript has no assemblies: all of it counts as one. */
const ASSEMBLY_ID = 1n;
const APP_DOMAIN_ID = 1n;
/** MethodFlags: the method was compiled by the runtime. */
const JITTED = 0x8;
/** The first metadata token of the kind for methods. */
const FIRST_METHOD_TOKEN = 0x600_0001;

export function writeMethodRundown(
  writer: EventSink,
  thread: ThreadHandle,
  ticks: bigint,
  { methods, modules }: Pick<MethodTable, 'methods' | 'modules'>,
): void {
  const bytes = new NetTraceBytes();
  const kind = (metadata: WrittenMetadata) => {
    const metadataId = writer.define(metadata);
    return (): void => writer.write({ metadataId, thread, ticks, payload: bytes.take() });
  };
  const mark = (metadata: WrittenMetadata): void => {
    bytes.uint16(CLR_INSTANCE_ID);
    kind(metadata)();
  };
  mark(METHOD_DC_END_INIT);
  const endModule = kind(MODULE_DC_END);
  const endDomainModule = kind(DOMAIN_MODULE_DC_END);
  for (const module of modules) {
    writeModule(bytes, module, []);
    endModule();
    writeModule(bytes, module, [APP_DOMAIN_ID]);
    endDomainModule();
  }
  const endMethod = kind(METHOD_DC_END_VERBOSE);
  let token = FIRST_METHOD_TOKEN;
  for (const method of methods) {
    writeMethod(bytes, method, token++);
    endMethod();
  }
  mark(METHOD_DC_END_COMPLETE);
}

function writeModule(bytes: NetTraceBytes, { id, path }: Module, appDomain: readonly bigint[]): void {
  bytes.uint64(id);
  bytes.uint64(ASSEMBLY_ID);
  for (const domainId of appDomain) bytes.uint64(domainId);
  bytes.uint32(0); // ModuleFlags
  bytes.uint32(0); // Reserved1
  bytes.utf16Terminated(path);
  bytes.utf16Terminated(''); // ModuleNativePath
  bytes.uint16(CLR_INSTANCE_ID);
}

function writeMethod(bytes: NetTraceBytes, method: Method, token: number): void {
  const { module, startAddress, namespace, name, signature } = method;
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
