/** Parquet files of values chosen to be difficult, read by programs that know nothing of ours. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Column } from '../../../lib/wire/parquet/column.ts';
import { Int64Column, IntColumn } from '../../../lib/wire/parquet/numbers-column.ts';
import { ParquetWriter } from '../../../lib/wire/parquet/parquet-writer.ts';
import { snappy } from '../../../lib/wire/parquet/snappy.ts';
import { TextColumn } from '../../../lib/wire/parquet/text-column.ts';
import { askDuckDb, type Row, readHyparquet } from '../../export/parquet/parquet-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'tracewright-parquet-'));
afterAll(() => rmSync(root, { recursive: true }));

/** Deterministic, from 0 to 2^32. */
let state = 1;
const random = () => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state;
};

/** A file of rows, in pages and groups of these sizes. */
function write(columns: readonly Column[], rows: number, add: (row: number) => void): string {
  const folder = mkdtempSync(join(root, 't-'));
  const pieces: Uint8Array[] = [];
  const createdBy = 'tracewright version 0.0.0';
  const writer = new ParquetWriter(columns, { createdBy, write: (bytes) => pieces.push(bytes.slice()) });
  let group = 0;
  for (let row = 0; row < rows; row++) {
    add(row);
    group++;
    if (row % 1000 === 999) for (const column of columns) column.endPage();
    if (row % 3500 !== 3499) continue;
    writer.endGroup(group);
    group = 0;
  }
  if (group > 0) writer.endGroup(group);
  writer.end();
  writeFileSync(join(folder, 'a.parquet'), Buffer.concat(pieces));
  return folder;
}

/** Ways in which a column's values differ. */
const INT64: Record<string, (row: number) => bigint | undefined> = {
  'one value': () => 7n,
  none: () => undefined,
  times: (row) => 1_715_941_230_400_000_000n + BigInt(row) * 1000n + BigInt(random() % 999),
  'extremes side by side': (row) => (row % 2 === 0 ? -(2n ** 63n) : 2n ** 63n - 1n),
  'large steps, forth and back': () => BigInt(random()) * BigInt(random() % 500_000) - 2n ** 50n,
  'some missing': (row) => (random() % 3 === 0 ? undefined : BigInt(row)),
};
const NUMBERS: Record<string, (row: number) => number | undefined> = {
  'small ones': () => random() % 9,
  'negative ones': () => (random() % 1000) - 500,
  'the largest exact ones': (row) => (row % 2 === 0 ? Number.MAX_SAFE_INTEGER : -Number.MAX_SAFE_INTEGER),
  '53 bits': () => random() * (random() % 2 ** 20),
};
const TEXTS: Record<string, (row: number) => string | undefined> = {
  'a few': () => ['RequestStart', 'RequestStop', '', 'CacheMiss'][random() % 4],
  'all different': (row) => `text ${row}`,
  'different ones after equal ones': (row) => (row < 2000 ? 'same' : `text ${row}`),
  'any characters': () => String.fromCodePoint(...Array.from({ length: random() % 90 }, anyCharacter)),
  'halves of pairs': (row) => `\ud800 ${row}`,
  'long ones': (row) => (row % 100 === 0 ? 'x'.repeat(70_000) : undefined),
};

function anyCharacter(): number {
  const code = random() % 0x110000;
  return code >= 0xd800 && code < 0xe000 ? 0x20ac : code;
}

async function expectRead(column: Column, expected: readonly unknown[], folder: string): Promise<void> {
  const [hyparquet, duckDb] = [await readHyparquet(folder, ''), await askDuckDb(folder, 'SELECT * FROM $')];
  const valuesOf = (rows: readonly Row[]) => rows.map((row) => row[column.name] ?? null);
  expect(valuesOf(hyparquet)).toEqual(expected);
  expect(valuesOf(duckDb)).toEqual(expected);
}

const written = <T>(make: (row: number) => T | undefined, add: (value: T | undefined) => void) => {
  const values: (T | undefined)[] = [];
  return {
    values,
    add: (row: number) => {
      values.push(make(row));
      add(values.at(-1));
    },
  };
};

describe('a column', () => {
  it.each(Object.entries(INT64))('of 64-bit integers: %s', async (_, make) => {
    const column = new Int64Column('value');
    const { values, add } = written(make, (value) => column.add(value));
    const folder = write([column], 8000, add);
    await expectRead(
      column,
      values.map((value) => value ?? null),
      folder,
    );
  });

  it.each(Object.entries(NUMBERS))('of numbers: %s', async (_, make) => {
    const column = new IntColumn('value');
    const { values, add } = written(make, (value) => column.add(value));
    const folder = write([column], 8000, add);
    await expectRead(
      column,
      values.map((value) => BigInt(value as number)),
      folder,
    );
  });

  it.each(Object.entries(TEXTS))('of texts: %s', async (_, make) => {
    const column = new TextColumn('value');
    const { values, add } = written(make, (value) => column.add(value));
    const folder = write([column], 8000, add);
    await expectRead(
      column,
      values.map((value) => (value === undefined ? null : Buffer.from(value).toString())),
      folder,
    );
  });

  it('of unsigned integers has its limits in their order', async () => {
    const column = new Int64Column('value', 'unsigned');
    const folder = write([column], 2, (row) => column.add(row === 0 ? 2n ** 63n : 1n));
    const sql = 'SELECT typeof(value) AS type, value FROM $ WHERE value > 5 ORDER BY value';
    expect(await askDuckDb(folder, sql)).toEqual([{ type: 'UBIGINT', value: 2n ** 63n }]);
  });

  it('of lists has absent, empty and long ones', async () => {
    const column = new TextColumn('value', { isList: true });
    const make = (row: number) =>
      row % 5 === 0 ? undefined : Array.from({ length: row % 4 }, (_, i) => `${i} of ${row}`);
    const { values, add } = written(make, (value) => column.addAll(value));
    const folder = write([column], 8000, add);
    await expectRead(
      column,
      values.map((value) => value ?? null),
      folder,
    );
  });
});

describe('a file', () => {
  it('without rows has its columns', async () => {
    const folder = write([new IntColumn('a'), new TextColumn('b')], 0, () => {});
    const sql = 'SELECT column_name AS name FROM (DESCRIBE SELECT a, b FROM $)';
    expect(await askDuckDb(folder, sql)).toEqual([{ name: 'a' }, { name: 'b' }]);
  });

  it('lets readers skip groups of rows by the smallest and largest values', async () => {
    const [number, text] = [new IntColumn('number'), new TextColumn('text')];
    const folder = write([number, text], 7000, (row) => {
      number.add(row);
      text.add(`t${String(row).padStart(5, '0')}`);
    });
    const sql = `SELECT path_in_schema AS name, stats_min_value AS min, stats_max_value AS max
      FROM parquet_metadata('${folder}/a.parquet') WHERE row_group_id = 1 ORDER BY name`;
    expect(await askDuckDb(folder, sql)).toEqual([
      { name: 'number', min: '3500', max: '6999' },
      { name: 'text', min: 't03500', max: 't06999' },
    ]);
  });
});

describe('Snappy', () => {
  it.each([
    ['nothing', 0, () => 0],
    ['one byte', 1, () => 7],
    ['equal bytes', 200_000, () => 7],
    ['random bytes', 200_000, () => random() >>> 24],
    ['a repeated text', 200_000, (i: number) => 'the same text again, '.charCodeAt(i % 21)],
    ['a text with changes', 150_000, (i: number) => (random() % 40 === 0 ? 1 : i % 50)],
  ])('decompresses to %s', async (_, length, byteOf) => {
    const bytes = Uint8Array.from({ length }, (_, i) => byteOf(i));
    const { snappyUncompress } = (await import('hyparquet/src/snappy.js' as string)) as {
      snappyUncompress(input: Uint8Array, output: Uint8Array): void;
    };
    const output = new Uint8Array(length);
    if (length > 0) snappyUncompress(snappy(bytes), output);
    expect(Buffer.compare(output, bytes)).toBe(0);
  });
});
