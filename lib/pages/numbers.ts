/** Decodes a report's columns of numbers: see report-header.ts. */

const CONTINUES = 0x80;

/** Calls `take` with each number and its row. */
function eachNumber(bytes: Uint8Array, take: (value: number, row: number) => void): void {
  let row = 0;
  let value = 0;
  let unit = 1;
  for (const byte of bytes) {
    if (byte < CONTINUES) {
      take(value + byte * unit, row++);
      value = 0;
      unit = 1;
    } else {
      value += (byte - CONTINUES) * unit;
      unit *= CONTINUES;
    }
  }
}

function rowCount(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (byte < CONTINUES) count++;
  return count;
}

export function wholeNumbers(bytes: Uint8Array): Uint32Array<ArrayBuffer> {
  const numbers = new Uint32Array(rowCount(bytes));
  eachNumber(bytes, (value, row) => {
    numbers[row] = value;
  });
  return numbers;
}

/** Numbers that may be missing; -1 if they are. */
export function optionalNumbers(bytes: Uint8Array): Int32Array<ArrayBuffer> {
  const numbers = new Int32Array(rowCount(bytes));
  eachNumber(bytes, (value, row) => {
    numbers[row] = value - 1;
  });
  return numbers;
}

/** Nanoseconds; if optional, -1 for missing ones. */
export function nanoseconds(bytes: Uint8Array, isOptional: boolean): Float64Array<ArrayBuffer> {
  const numbers = new Float64Array(rowCount(bytes));
  eachNumber(bytes, (value, row) => {
    numbers[row] = isOptional ? value - 1 : value;
  });
  return numbers;
}

/** Converts the intervals between instants to instants. */
export function instants(bytes: Uint8Array, first: number): Float64Array<ArrayBuffer> {
  const times = nanoseconds(bytes, false);
  let now = first;
  for (let row = 0; row < times.length; row++) {
    now += times[row] as number;
    times[row] = now;
  }
  return times;
}

/** Where each of several consecutive items begins, and where the last one ends. */
export function beginnings(sizes: Uint8Array): Uint32Array<ArrayBuffer> {
  const starts = new Uint32Array(rowCount(sizes) + 1);
  let end = 0;
  eachNumber(sizes, (size, row) => {
    end += size;
    starts[row + 1] = end;
  });
  return starts;
}
