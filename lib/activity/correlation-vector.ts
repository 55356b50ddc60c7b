/**
 * The correlation vector: ids that are paths across processes, as "EventSource Activity Support" has them for its
 * upper tier. In use among Microsoft's services; elsewhere W3C's Trace Context is.
 *
 * Source: Correlation Vector 2.1 and, for the shorter first version, Microsoft.CorrelationVector.
 */

const MAX_ELEMENT = 2 ** 32 - 1;
/** Behind a vector that could not go on, because it would have been too long. */
const TERMINATOR = '!';
const VECTOR = /^([A-Za-z\d+/]{16}|[A-Za-z\d+/]{22})((?:\.\d{1,10})+)(!?)$/;
/** By version: how many bytes the base stands for, and how long a vector may be. */
const VERSIONS = { 1: { bytes: 12, maxLength: 63 }, 2: { bytes: 16, maxLength: 127 } } as const;
const BASE_LENGTH_V1 = 16;
const MAX_LENGTH = VERSIONS[2].maxLength + TERMINATOR.length;

/** The place of one piece of work, such as a request, among all that one first message has caused. */
export class CorrelationVector {
  /** The HTTP header that a vector goes in. */
  static readonly header = 'MS-CV';
  /** All but the last number. */
  readonly #stem: string;
  #last: number;
  #isTerminated: boolean;

  private constructor(stem: string, last: number, isTerminated: boolean) {
    this.#stem = stem;
    this.#last = last;
    this.#isTerminated = isTerminated;
  }

  /** Of a first message: a random base, and 0. Version 2 has 128 random bits, version 1 has 96. */
  static begin(version: 1 | 2 = 2): CorrelationVector {
    const { bytes } = VERSIONS[version];
    // Not imported: loading node:crypto takes longer than all of tracewright.
    const base = process.getBuiltinModule('node:crypto').randomBytes(bytes).toString('base64');
    return new CorrelationVector(base.replace(/=+$/, ''), 0, false);
  }

  /** What came with a message, which is to be extended. Undefined where that is no vector. */
  static parse(text: unknown): CorrelationVector | undefined {
    if (typeof text !== 'string' || text.length > MAX_LENGTH) return undefined;
    const [, base, numbers, terminator] = VECTOR.exec(text) ?? [];
    if (base === undefined || numbers === undefined) return undefined;
    const elements = numbers.slice(1).split('.');
    if (elements.some((element) => Number(element) > MAX_ELEMENT)) return undefined;
    const vector = text.slice(0, text.length - (terminator?.length ?? 0));
    if (vector.length > maxLengthOf(vector)) return undefined;
    const stem = vector.slice(0, vector.lastIndexOf('.'));
    return new CorrelationVector(stem, Number(elements.at(-1)), terminator !== '');
  }

  /**
   * Of the work that a message with this vector causes: `X.1` becomes `X.1.0`. Where that would be too long, the same
   * with `!` at its end, as it is from then on.
   */
  extend(): CorrelationVector {
    if (this.#isTerminated) return this;
    const stem = this.toString();
    const extended = new CorrelationVector(stem, 0, false);
    if (!isTooLong(extended.toString())) return extended;
    return new CorrelationVector(this.#stem, this.#last, true);
  }

  /** Counts on, `X.1` to `X.2`, before each message that is sent. @returns what goes with the message */
  increment(): string {
    if (this.#isTerminated) return this.toString();
    const isLast = this.#last === MAX_ELEMENT || isTooLong(`${this.#stem}.${this.#last + 1}`);
    if (isLast) this.#isTerminated = true;
    else this.#last++;
    return this.toString();
  }

  toString(): string {
    return `${this.#stem}.${this.#last}${this.#isTerminated ? TERMINATOR : ''}`;
  }
}

function isTooLong(vector: string): boolean {
  return vector.length > maxLengthOf(vector);
}

function maxLengthOf(vector: string): number {
  return VERSIONS[vector.indexOf('.') === BASE_LENGTH_V1 ? 1 : 2].maxLength;
}
