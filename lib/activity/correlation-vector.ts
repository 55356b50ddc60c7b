/**
 * The correlation vector: ids that are paths across processes, the upper tier of "EventSource Activity Support".
 * Microsoft's services use it; elsewhere, W3C Trace Context is used instead.
 *
 * Source: Correlation Vector 2.1 and, for the shorter first version, Microsoft.CorrelationVector.
 */

const MAX_ELEMENT = 2 ** 32 - 1;
/** Terminates a vector that could not be extended because it would have become too long. */
const TERMINATOR = '!';
const VECTOR = /^([A-Za-z\d+/]{16}|[A-Za-z\d+/]{22})((?:\.\d{1,10})+)(!?)$/;
/** The limits of each version: how many bytes the base encodes, and the maximum length of a vector. */
const VERSIONS = { 1: { bytes: 12, maxLength: 63 }, 2: { bytes: 16, maxLength: 127 } } as const;
const BASE_LENGTH_V1 = 16;
const MAX_LENGTH = VERSIONS[2].maxLength + TERMINATOR.length;

/** The place of a piece of work, such as a request, among everything that an initial message has caused. */
export class CorrelationVector {
  /** The HTTP header for a vector. */
  static readonly header = 'MS-CV';
  /** Everything but the last number. */
  readonly #stem: string;
  #last: number;
  #isTerminated: boolean;

  private constructor(stem: string, last: number, isTerminated: boolean) {
    this.#stem = stem;
    this.#last = last;
    this.#isTerminated = isTerminated;
  }

  /**
   * Returns the vector of an initial message: a random base, and 0. Version 2 has 128 random bits, version 1 has 96.
   */
  static begin(version: 1 | 2 = 2): CorrelationVector {
    const { bytes } = VERSIONS[version];
    // Not imported: loading node:crypto takes longer than loading all of tracewright.
    const base = process.getBuiltinModule('node:crypto').randomBytes(bytes).toString('base64');
    return new CorrelationVector(base.replaceAll('=', ''), 0, false);
  }

  /** The vector that came with a message, to be extended. Undefined if it is not a vector. */
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
   * Returns the vector for the work caused by a message with this vector: `X.1` becomes `X.1.0`. If that would be too
   * long, it is the same vector with a final `!`, which it then keeps.
   */
  extend(): CorrelationVector {
    if (this.#isTerminated) return this;
    const stem = this.toString();
    const extended = new CorrelationVector(stem, 0, false);
    if (!isTooLong(extended.toString())) return extended;
    return new CorrelationVector(this.#stem, this.#last, true);
  }

  /** Increments, `X.1` to `X.2`, before each message sent. @returns the vector to send with the message */
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
