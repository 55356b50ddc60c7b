/**
 * Names of stack frames: for compiled code from the trace or the runtime's map; for programs, libraries and the kernel
 * from symbols, otherwise the module and the position in it.
 */
import { addressNumber, TimedRanges } from '../../base/timed-ranges.ts';
import type { ScriptPlace, SourceMaps } from '../../symbols/source-maps.ts';
import { baseName, type DebugId, type SymbolFolders } from '../../symbols/symbol-folders.ts';
import type { CodeMapping, CodeMappings } from '../../trace/code-mappings.ts';
import type { TraceEvent } from '../../trace/trace-event.ts';

export interface Frame {
  readonly name: string;
  /** The file or map that contains the function; empty if unknown. */
  readonly module: string;
  /** Where a function of JavaScript begins, in its source if that is known. */
  readonly place?: ScriptPlace;
}

/** How the files of this package are named: in its own samples, by tools, and in V8's names for perf and ETW. */
const OF_TRACER = /(?:^|\/node_modules\/)(?:@[\w.-]+\/)?tracewright\/(?:dist|lib)\//;
const TRACERS_ADDON = /[/\\]tracewright[\w.-]*\.node$/;
const BUILT_IN = /^(?:node:|native\.)/;
const SCRIPT = /\.[cm]?[jt]sx?(?:[.:]|$)/;

/** Whether it is a function of this package, which an application has not written. */
export function isOfTracer({ name, module }: Frame): boolean {
  return OF_TRACER.test(name) || OF_TRACER.test(module.replaceAll('\\', '/')) || TRACERS_ADDON.test(module);
}

/** Whether it is JavaScript, and none of Node.js. */
export function isScript(frame: Frame): boolean {
  return !isBuiltIn(frame) && (SCRIPT.test(frame.name) || SCRIPT.test(frame.module));
}

/** Whether it is a function of Node.js or V8, by its name in samples of sessions. */
export function isBuiltIn({ name }: Frame): boolean {
  return BUILT_IN.test(name);
}

/** Whether it is a function of a package that the application has installed. */
export function isOfPackage({ module }: Frame): boolean {
  return module.replaceAll('\\', '/').includes(PACKAGES);
}

interface Method {
  readonly name: string;
  /** The file depends on the process and the runtime's id. */
  readonly file: string | undefined;
  /** Only frames of JavaScript in the samples of a session have this. */
  readonly place: MethodPlace | undefined;
  /** This is undefined as long as nobody has asked for it: a source map may have to be read. */
  frame?: Frame;
}

interface MethodPlace extends Omit<ScriptPlace, 'file'> {
  /** The short name of its script. */
  readonly script: string;
}

interface Module {
  readonly start: number;
  readonly name: string;
}

/** Limits the memory of all processes together. */
const MAX_RANGES = 1_000_000;
const SAMPLE_PROFILER = 'Microsoft-DotNETCore-SampleProfiler';
/** V8's names for time outside of JavaScript, as sessions write them. */
export const IDLE = 'native.(idle)';
const PROGRAM = 'native.(program)';
/** V8 writes to ETW in JScript's format. */
const V8_GUID = '57277741-3638-4a4b-bdba-0ac6e45da56c';
/** A function's place, as a session writes it in the place of a .NET method's signature: `(12:5)`. */
const PLACE = /^\((\d{1,9}):(\d{1,9})\)$/;
/** How V8 names functions for perf and ETW: `JS:*burn file:///app/cart.mjs:12:5`. */
const FUNCTION_AND_PLACE =
  /^(.{0,200}?[:*~^+]|)([^\s:*~^+]*) ((?:file:\/\/)?\/.*|[A-Za-z]:[\\/].*):(\d{1,9}):(\d{1,9})$/;
/** What a session names functions without a name. */
const NAMELESS = /^\((anonymous|inlined)\)(?::|$)/;
const PACKAGES = '/node_modules/';
/** The kernel's names for memory without a file. */
const ANONYMOUS = /^(?:$|\[(?!vdso|vsyscall|kernel)|\/\/anon|\/memfd:|\/anon_hugepage|\/dev\/zero|\/SYSV)/;
/** Images of the Windows kernel belong to these processes. */
const KERNEL_PROCESSES = [0, 4] as const;

export class FrameNames {
  readonly #methods = new Map<number | undefined, TimedRanges<Method>>();
  /** The files of methods, by process and module. */
  readonly #files = new Map<string, string>();
  readonly #images = new Map<number | undefined, TimedRanges<Module>>();
  /** The last name at a process's address. */
  readonly #latest = new Map<string, string>();
  readonly #scripts = new Map<string, string>();
  /** The key is made of process and base address. */
  readonly #debugIds = new Map<string, DebugId>();
  readonly #folders: SymbolFolders | undefined;
  readonly #sourceMaps: SourceMaps | undefined;
  /** Frames by the names that V8 has written for perf or ETW. */
  readonly #inSource = new Map<string, Frame>();
  #count = 0;

  /** @param folders with symbols, and `sourceMaps`, if any may be opened */
  constructor(folders?: SymbolFolders, sourceMaps?: SourceMaps) {
    this.#folders = folders;
    this.#sourceMaps = sourceMaps;
  }

  /** Takes any event; those about methods, scripts and images describe memory. */
  add(event: TraceEvent): void {
    const { name } = event;
    if (name.startsWith('Method')) this.#addMethod(event, name);
    else if (name.startsWith('Loader/Module')) this.#addFile(event);
    else if (name.startsWith('Image/')) this.#addImage(event);
    else if (name.startsWith('Source')) this.#addScript(event);
    else if (name === 'ImageID/DbgID_RSDS') this.#addDebugId(event);
  }

  /**
   * @param timestamp of the event with the stack
   * @param mappings of its trace, after it has been read
   */
  frameOf(processId: number | undefined, address: bigint, timestamp: bigint, mappings?: CodeMappings): Frame {
    const at = addressNumber(address);
    const method = this.#methods.get(processId)?.find(at, Number(timestamp));
    if (method !== undefined) return this.#frameOfMethod(method);
    const named = mappings?.functions.get(address);
    if (named !== undefined) return this.#withSource(named);
    const mapping = mappings?.find(processId, at, timestamp);
    const frame = mapping && this.#mapped(mapping, mappings as CodeMappings, processId, at, timestamp);
    if (frame !== undefined) return this.#withSource(frame);
    return this.#inImage(processId, at, timestamp) ?? { name: hex(address), module: '' };
  }

  /** Where the source of a place in JavaScript is; undefined without a source map. */
  sourceOf(place: ScriptPlace): ScriptPlace | undefined {
    return this.#sourceMaps?.sourceOf(place);
  }

  #frameOfMethod(method: Method): Frame {
    const { name, file, place } = method;
    if (file === undefined) return this.#withSource({ name, module: 'V8' });
    const path = this.#files.get(file);
    if (place === undefined || path === undefined) return { name, module: path ?? '.NET' };
    method.frame ??= this.#scriptFrame(name, place, path);
    return method.frame;
  }

  #scriptFrame(
    fullName: string,
    { script, name, line: lineInScript, column: columnInScript }: MethodPlace,
    path: string,
  ): Frame {
    const [, nameless] = NAMELESS.exec(name) ?? [];
    const place = {
      name: nameless === undefined ? name : '',
      file: path,
      line: lineInScript,
      column: columnInScript,
    };
    const source = this.#sourceMaps?.sourceOf(place);
    if (source === undefined) return { name: fullName, module: path, place };
    const { file, line, column } = source;
    // V8 knows no more than the line of an inlined function: the name there is another's.
    const isNamed = nameless !== 'inlined' && source.name !== '';
    const inSource = isNamed ? source.name : `(${nameless ?? 'anonymous'}):${line}:${column}`;
    return {
      name: `${shortName(file, path, script)}.${inSource}`,
      module: file,
      place: isNamed ? source : { ...source, name: '' },
    };
  }

  /** A frame with V8's own name for perf or ETW, as in its source. */
  #withSource(frame: Frame): Frame {
    const known = this.#inSource.get(frame.name);
    if (known !== undefined) return known;
    const [, prefix, name = '', file = '', line, column] = FUNCTION_AND_PLACE.exec(frame.name) ?? [];
    if (prefix === undefined) return frame;
    const place = { name, file, line: Number(line), column: Number(column) };
    const source = this.#sourceMaps?.sourceOf(place);
    const found =
      source === undefined
        ? { ...frame, place }
        : {
            ...frame,
            name: `${prefix}${source.name} ${source.file}:${source.line}:${source.column}`,
            place: source,
          };
    if (this.#inSource.size < MAX_RANGES) this.#inSource.set(frame.name, found);
    return found;
  }

  /** Whether the sample is one of native code outside of JavaScript, by a name that came before it. */
  isNative(event: TraceEvent): boolean {
    return this.#leafOf(event) === PROGRAM;
  }

  /** Whether the sample says that the thread waited for something to do: it is not one of CPU time. */
  isIdle(event: TraceEvent): boolean {
    return this.#leafOf(event) === IDLE;
  }

  #leafOf({ provider, processId, stack, timestamp }: TraceEvent): string | undefined {
    const [leaf] = provider === SAMPLE_PROFILER ? (stack ?? []) : [];
    if (leaf === undefined) return undefined;
    return this.#methods.get(processId)?.find(addressNumber(leaf), Number(timestamp))?.name;
  }

  #mapped(
    mapping: CodeMapping,
    mappings: CodeMappings,
    processId: number | undefined,
    at: number,
    timestamp: bigint,
  ): Frame | undefined {
    const { filename, start, fileOffset } = mapping;
    const folders = this.#folders;
    if (at < 0) {
      const isModule = filename.startsWith('/');
      const module = isModule ? filename : filename.replace(/\].*/, ']');
      const name = folders?.kernel()?.nameAt(at);
      return { name: name ?? `${module}+${hex(BigInt(at - start))}`, module };
    }
    if (ANONYMOUS.test(filename)) {
      return processId === undefined ? undefined : this.#compiled(mappings, processId, at, timestamp);
    }
    const offset = at - start + fileOffset;
    const name = folders?.file(filename, mapping.buildId ?? mappings.buildIds.get(filename))?.nameAt(offset);
    return { name: name ?? `${baseName(filename)}+${hex(BigInt(offset))}`, module: filename };
  }

  #compiled(mappings: CodeMappings, processId: number, at: number, timestamp: bigint): Frame | undefined {
    const inMap = this.#folders?.perfMap(processId)?.nameAt(at);
    if (inMap !== undefined) return { name: inMap, module: `perf-${processId}.map` };
    const dump = this.#folders?.jitDump(processId, mappings.jitDumps.get(processId));
    const name = dump?.nameAt(at, mappings.clockTime(timestamp));
    return name === undefined ? undefined : { name, module: `jit-${processId}.dump` };
  }

  #inImage(processId: number | undefined, at: number, timestamp: bigint): Frame | undefined {
    const owners = at < 0 ? KERNEL_PROCESSES : [processId];
    for (const owner of owners) {
      const image = this.#images.get(owner)?.find(at, Number(timestamp));
      if (image === undefined) continue;
      const debugId = this.#debugIds.get(`${owner} ${image.start}`);
      const name = debugId && this.#folders?.pdb(debugId)?.nameAt(at - image.start);
      return { name: name ?? `${baseName(image.name)}+${hex(BigInt(at - image.start))}`, module: image.name };
    }
    return undefined;
  }

  /** .NET's MethodLoadVerbose and similar events, and V8's MethodLoad. */
  #addMethod(event: TraceEvent, eventName: string): void {
    const isOfV8 = event.providerGuid === V8_GUID;
    if (!isOfV8 && !eventName.endsWith('Verbose')) return;
    const { payload } = event;
    const start = payload.MethodStartAddress;
    const size = Number(payload.MethodSize);
    if (typeof start !== 'bigint' || !(size >= 0)) return;
    const name = isOfV8 ? this.#scriptFunction(event) : dotNetName(payload);
    const from = addressNumber(start);
    // A trace may name a method again and again, for those who read only a part of it.
    const key = `${event.processId} ${start}`;
    if (this.#latest.get(key) === name) return;
    if (this.#count < MAX_RANGES) this.#latest.set(key, name);
    const method: Method = {
      name,
      file: isOfV8 ? undefined : `${event.processId} ${payload.ModuleID}`,
      place: isOfV8 ? undefined : placeOf(payload),
    };
    this.#insert(this.#methods, event.processId, from, from + size, method, event.timestamp);
  }

  #addFile({ processId, payload }: TraceEvent): void {
    const { ModuleID, ModuleILPath: path } = payload;
    if (typeof path !== 'string' || path === '' || this.#files.size >= MAX_RANGES) return;
    this.#files.set(`${processId} ${ModuleID}`, path);
  }

  #scriptFunction({ processId, payload }: TraceEvent): string {
    const { MethodName: name, ScriptContextID: context, SourceID: source, Line, Column } = payload;
    const url = this.#scripts.get(`${processId} ${context} ${source}`);
    return url === undefined ? `${name}` : `${name} ${url}:${Line}:${Column}`;
  }

  #addScript({ providerGuid, processId, payload }: TraceEvent): void {
    if (providerGuid !== V8_GUID || this.#count >= MAX_RANGES) return;
    const { ScriptContextID: context, SourceID: source, Url } = payload;
    this.#count++;
    this.#scripts.set(`${processId} ${context} ${source}`, `${Url}`);
  }

  #addImage(event: TraceEvent): void {
    const { ImageBase, ImageSize, FileName } = event.payload;
    if (typeof FileName !== 'string' || ImageBase === undefined) return;
    const start = addressNumber(BigInt(ImageBase as bigint | number));
    const module = { start, name: FileName };
    this.#insert(this.#images, event.processId, start, start + Number(ImageSize), module, event.timestamp);
  }

  /** Takes an event that whoever merges a recording writes for each image in it. */
  #addDebugId({ payload }: TraceEvent): void {
    const { ImageBase, ProcessID, GuidSig, Age, PDBFileName } = payload;
    if (this.#count >= MAX_RANGES || ImageBase === undefined || typeof PDBFileName !== 'string') return;
    this.#count++;
    const start = addressNumber(BigInt(ImageBase as bigint | number));
    const debugId = { filename: PDBFileName, guid: String(GuidSig).toLowerCase(), age: Number(Age) };
    this.#debugIds.set(`${ProcessID} ${start}`, debugId);
  }

  #insert<T>(
    all: Map<number | undefined, TimedRanges<T>>,
    processId: number | undefined,
    start: number,
    end: number,
    value: T,
    timestamp: bigint,
  ): void {
    if (this.#count >= MAX_RANGES || !(end > start)) return;
    this.#count++;
    let ranges = all.get(processId);
    if (ranges === undefined) {
      ranges = new TimedRanges();
      all.set(processId, ranges);
    }
    ranges.add(start, end, value, Number(timestamp));
  }
}

function dotNetName({ MethodNamespace, MethodName }: TraceEvent['payload']): string {
  return `${MethodNamespace}.${MethodName}`;
}

function placeOf({
  MethodNamespace: script,
  MethodName: name,
  MethodSignature: signature,
}: TraceEvent['payload']): MethodPlace | undefined {
  const [, line, column] = PLACE.exec(`${signature}`) ?? [];
  if (line === undefined) return undefined;
  return { script: `${script}`, name: `${name}`, line: Number(line), column: Number(column) };
}

/**
 * A source's path in its package, or relative to what the short name of its script is relative to.
 *
 * @param path of the script
 */
function shortName(source: string, path: string, script: string): string {
  const packageAt = source.lastIndexOf(PACKAGES);
  if (packageAt >= 0) return source.slice(packageAt + PACKAGES.length);
  const slashed = path.replaceAll('\\', '/');
  const folder = slashed.endsWith(`/${script}`) ? slashed.slice(0, -script.length) : undefined;
  if (folder !== undefined && source.startsWith(folder)) return source.slice(folder.length);
  return source.split('/').slice(-2).join('/');
}

function hex(value: bigint): string {
  return `0x${value.toString(16)}`;
}
