/**
 * JavaScript functions in the form in which .NET's tools know methods: by code address. V8 moves code, so each function
 * gets arbitrary addresses of its own.
 */
import type { Runtime } from 'node:inspector';
import { scriptNames } from './script-names.ts';

/** A script. */
export interface Module {
  readonly id: bigint;
  readonly path: string;
}

export interface Method {
  readonly module: Module;
  readonly startAddress: bigint;
  /** The script's short name. */
  readonly namespace: string;
  readonly name: string;
  /** The position in the script: tools show it in brackets after the name. */
  readonly signature: string;
}

/** Bytes per method. */
export const METHOD_SIZE = 16;

/** A process may create functions without limit: further ones are merged into one. */
const MAX_METHODS = 1 << 15;
/** Applications can give functions names of any length. */
const MAX_NAME_LENGTH = 200;
const FIRST_ADDRESS = 0x1000_0000n;
const FIRST_MODULE_ID = 0x1000n;
/** If a trace contains two tables, the offset of the second one's numbers. */
const APART = 0x1000_0000n;

const OTHERS: Runtime.CallFrame = {
  functionName: '(functions beyond the first 32768)',
  scriptId: '0',
  url: '',
  lineNumber: -1,
  columnNumber: -1,
};

export class MethodTable {
  readonly #methods = new Map<string, Method>();
  readonly #modules = new Map<string, Module>();
  readonly #folder: string;
  readonly #base: bigint;

  /**
   * @param folder what the names of scripts are relative to
   * @param isSecond whether another table's numbers are in the same trace
   */
  constructor(folder: string, isSecond = false) {
    this.#folder = folder;
    this.#base = isSecond ? APART : 0n;
  }

  get methods(): Iterable<Method> {
    return this.#methods.values();
  }

  get modules(): Iterable<Module> {
    return this.#modules.values();
  }

  /** An address inside the function. */
  addressOf(frame: Runtime.CallFrame): bigint {
    const key = keyOf(frame);
    const method = this.#methods.get(key) ?? this.#add(key, frame);
    return method.startAddress + BigInt(METHOD_SIZE / 2);
  }

  #add(key: string, frame: Runtime.CallFrame): Method {
    const others = this.#methods.size >= MAX_METHODS ? this.#methods.get(keyOf(OTHERS)) : undefined;
    if (others !== undefined) return others;
    const isLast = this.#methods.size >= MAX_METHODS;
    const { url, scriptId, functionName, lineNumber, columnNumber } = isLast ? OTHERS : frame;
    const { path, name } = scriptNames(url, scriptId, this.#folder);
    // V8 counts from 0, and gives its own functions no position.
    const place = lineNumber < 0 ? '' : `${lineNumber + 1}:${columnNumber + 1}`;
    const method: Method = {
      module: this.#moduleOf(path),
      startAddress: this.#base + FIRST_ADDRESS + BigInt(this.#methods.size * METHOD_SIZE),
      namespace: name,
      name: functionName === '' ? anonymous(place) : functionName.slice(0, MAX_NAME_LENGTH),
      signature: `(${place})`,
    };
    this.#methods.set(isLast ? keyOf(OTHERS) : key, method);
    return method;
  }

  #moduleOf(path: string): Module {
    let module = this.#modules.get(path);
    if (module === undefined) {
      module = { id: this.#base + FIRST_MODULE_ID + BigInt(this.#modules.size), path };
      this.#modules.set(path, module);
    }
    return module;
  }
}

function keyOf({ functionName, url, lineNumber, columnNumber }: Runtime.CallFrame): string {
  return `${lineNumber}:${columnNumber} ${functionName} ${url}`;
}

/** Without its position, it would be merged with all others of its script. */
function anonymous(place: string): string {
  return place === '' ? '(anonymous)' : `(anonymous):${place}`;
}
