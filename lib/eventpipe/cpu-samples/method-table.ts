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
  /** Its number in the runtime's metadata. */
  readonly token: number;
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
/** The first metadata token of the kind for methods. */
const FIRST_METHOD_TOKEN = 0x600_0001;
/** The numbers of a trace's second table are larger by this much. */
const APART = 0x1000_0000n;

const OTHERS: Runtime.CallFrame = {
  functionName: '(functions beyond the first 32768)',
  scriptId: '0',
  url: '',
  lineNumber: -1,
  columnNumber: -1,
};

export class MethodTable {
  readonly #methods: Method[] = [];
  readonly #byFrame = new Map<string, Method>();
  readonly #modules = new Map<string, Module>();
  /** Names and modules of scripts, by their URLs. */
  readonly #scripts = new Map<string, Pick<Method, 'module' | 'namespace'>>();
  readonly #folder: string;
  readonly #base: bigint;

  /**
   * @param isSecond whether another table's numbers are in the same trace
   * @param folder what the names of scripts are relative to
   */
  constructor(isSecond = false, folder = workingFolder()) {
    this.#folder = folder;
    this.#base = isSecond ? APART : 0n;
  }

  /** An address inside the function. */
  addressOf(frame: Runtime.CallFrame): bigint {
    const key = keyOf(frame);
    const method = this.#byFrame.get(key) ?? this.#add(key, frame);
    return method.startAddress + BigInt(METHOD_SIZE / 2);
  }

  /** @param address from `addressOf` */
  methodAt(address: bigint): Method {
    return this.#methods[Math.floor(Number(address - this.#base - FIRST_ADDRESS) / METHOD_SIZE)] as Method;
  }

  #add(key: string, frame: Runtime.CallFrame): Method {
    const count = this.#methods.length;
    const isLast = count >= MAX_METHODS;
    const others = isLast ? this.#byFrame.get(keyOf(OTHERS)) : undefined;
    if (others !== undefined) return others;
    const { url, scriptId, functionName, lineNumber, columnNumber } = isLast ? OTHERS : frame;
    // V8 counts from 0, and gives its own functions no position.
    const place = lineNumber < 0 ? '' : `${lineNumber + 1}:${columnNumber + 1}`;
    const method: Method = {
      ...this.#scriptOf(url, scriptId),
      startAddress: this.#base + FIRST_ADDRESS + BigInt(count * METHOD_SIZE),
      token: FIRST_METHOD_TOKEN + count,
      name: functionName === '' ? anonymous(place) : functionName.slice(0, MAX_NAME_LENGTH),
      signature: `(${place})`,
    };
    this.#methods.push(method);
    this.#byFrame.set(isLast ? keyOf(OTHERS) : key, method);
    return method;
  }

  #scriptOf(url: string, scriptId: string): Pick<Method, 'module' | 'namespace'> {
    const key = url === '' ? scriptId : url;
    let script = this.#scripts.get(key);
    if (script === undefined) {
      const { path, name } = scriptNames(url, scriptId, this.#folder);
      script = { module: this.#moduleOf(path), namespace: name };
      this.#scripts.set(key, script);
    }
    return script;
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

/** The folder may be gone. */
function workingFolder(): string {
  try {
    return process.cwd();
  } catch {
    return '/';
  }
}

function keyOf({ functionName, url, lineNumber, columnNumber }: Runtime.CallFrame): string {
  return `${lineNumber}:${columnNumber} ${functionName} ${url}`;
}

/** Names a function by its position: without it, it would be merged with all others of its script. */
function anonymous(place: string): string {
  return place === '' ? '(anonymous)' : `(anonymous):${place}`;
}
