/** A Parquet file: groups of rows, and what describes them at the end. Source: apache/parquet-format, parquet.thrift. */
import { type Column, type ColumnChunk, type ColumnType, Type } from './column.ts';
import { ThriftWriter } from './thrift.ts';

const MAGIC = Buffer.from('PAR1');
const OPTIONAL = 1;
const REPEATED = 2;
const SNAPPY = 1;
const VERSION = 2;
/** The key is the logical type, the value the older name of it. */
const CONVERTED = { text: 0, unsigned: 14, timestamp: undefined, none: undefined } as const;
const CONVERTED_LIST = 3;

interface Chunk extends Omit<ColumnChunk, 'pages'> {
  readonly start: number;
}

interface Group {
  readonly rows: number;
  readonly start: number;
  readonly chunks: readonly Chunk[];
}

export interface ParquetOptions {
  /** The program and its version, as `tracewright version 1.0.0`. */
  readonly createdBy: string;
  /** Takes the next bytes of the file. */
  readonly write: (bytes: Uint8Array) => void;
}

export class ParquetWriter {
  /** Counts the rows of the file. */
  rows = 0;
  /** Bytes written. */
  size = 0;
  readonly #columns: readonly Column[];
  readonly #options: ParquetOptions;
  readonly #groups: Group[] = [];

  constructor(columns: readonly Column[], options: ParquetOptions) {
    this.#columns = columns;
    this.#options = options;
    this.#write(MAGIC);
  }

  /** Writes the values that the columns have. */
  endGroup(rows: number): void {
    const start = this.size;
    const chunks = this.#columns.map((column) => {
      const { pages, ...chunk } = column.takeChunk();
      const chunkStart = this.size;
      for (const page of pages) this.#write(page);
      return { ...chunk, start: chunkStart };
    });
    this.#groups.push({ rows, start, chunks });
    this.rows += rows;
  }

  /** Writes the end of the file. */
  end(): void {
    const footer = this.#footer();
    this.#write(footer);
    const tail = Buffer.alloc(8);
    tail.writeUInt32LE(footer.length);
    tail.set(MAGIC, 4);
    this.#write(tail);
  }

  #write(bytes: Uint8Array): void {
    this.#options.write(bytes);
    this.size += bytes.length;
  }

  #footer(): Uint8Array {
    const thrift = new ThriftWriter();
    thrift.int(1, VERSION);
    putSchema(thrift, this.#columns);
    thrift.long(3, this.rows);
    thrift.structs(4, this.#groups, (group) => this.#putGroup(thrift, group));
    thrift.binary(6, this.#options.createdBy);
    // The smallest and largest values are by the order of the types.
    thrift.structs(7, this.#columns, () => thrift.struct(1, () => {}));
    return thrift.end();
  }

  #putGroup(thrift: ThriftWriter, { rows, start, chunks }: Group): void {
    const sum = (size: (chunk: Chunk) => number) => chunks.reduce((total, chunk) => total + size(chunk), 0);
    thrift.structs(1, chunks, (chunk) => {
      const column = this.#columns[chunks.indexOf(chunk)] as Column;
      thrift.long(2, chunk.start).struct(3, () => putChunk(thrift, column, chunk));
    });
    thrift
      .long(
        2,
        sum(({ uncompressedSize }) => uncompressedSize),
      )
      .long(3, rows);
    thrift.long(5, start).long(
      6,
      sum(({ size }) => size),
    );
  }
}

function putChunk(thrift: ThriftWriter, column: Column, chunk: Chunk): void {
  const { start, dictionarySize, range } = chunk;
  thrift.int(1, column.type).ints(2, chunk.encodings);
  thrift.texts(3, column.isList ? [column.name, 'list', 'element'] : [column.name]);
  thrift.int(4, SNAPPY).long(5, chunk.values);
  thrift
    .long(6, chunk.uncompressedSize)
    .long(7, chunk.size)
    .long(9, start + dictionarySize);
  if (dictionarySize > 0) thrift.long(11, start);
  thrift.struct(12, () => {
    thrift.long(3, chunk.nulls);
    if (range !== undefined) thrift.binary(5, range.max).binary(6, range.min);
  });
}

function putSchema(thrift: ThriftWriter, columns: readonly Column[]): void {
  const nodes: (() => void)[] = [() => thrift.binary(4, 'schema').int(5, columns.length)];
  for (const column of columns) {
    if (!column.isList) {
      nodes.push(() => putLeaf(thrift, column, column.name));
      continue;
    }
    nodes.push(() => {
      thrift.int(3, OPTIONAL).binary(4, column.name).int(5, 1).int(6, CONVERTED_LIST);
      thrift.struct(10, () => thrift.struct(3, () => {}));
    });
    nodes.push(() => thrift.int(3, REPEATED).binary(4, 'list').int(5, 1));
    nodes.push(() => putLeaf(thrift, column, 'element'));
  }
  thrift.structs(2, nodes, (put) => put());
}

function putLeaf(thrift: ThriftWriter, { type, logical }: ColumnType, name: string): void {
  thrift.int(1, type).int(3, OPTIONAL).binary(4, name);
  const converted = CONVERTED[logical];
  if (converted !== undefined) thrift.int(6, converted);
  if (logical === 'text') thrift.struct(10, () => thrift.struct(1, () => {}));
  if (logical === 'timestamp') {
    const unit = () => thrift.struct(3, () => {});
    thrift.struct(10, () => thrift.struct(8, () => thrift.bool(1, true).struct(2, unit)));
  }
  if (logical === 'unsigned' && type === Type.Int64) {
    thrift.struct(10, () => thrift.struct(10, () => thrift.byte(1, 64).bool(2, false)));
  }
}
