/** A Parquet file: groups of rows, and what describes them at the end. Source: apache/parquet-format, parquet.thrift. */
import { type Column, type ColumnChunk, type ColumnType, Type } from './column.ts';
import { ThriftWriter } from './thrift.ts';

const MAGIC = Buffer.from('PAR1');
const OPTIONAL = 1;
const REPEATED = 2;
const SNAPPY = 1;
const VERSION = 2;

/** The numbers of fields, by struct and name in parquet.thrift. */
const FileMetaData = { version: 1, schema: 2, rows: 3, rowGroups: 4, createdBy: 6, columnOrders: 7 } as const;
const RowGroup = { columns: 1, byteSize: 2, rows: 3, fileOffset: 5, compressedSize: 6 } as const;
const ColumnChunkField = { fileOffset: 2, metadata: 3 } as const;
const ColumnMetaData = {
  type: 1,
  encodings: 2,
  path: 3,
  codec: 4,
  values: 5,
  uncompressedSize: 6,
  compressedSize: 7,
  dataPageOffset: 9,
  dictionaryPageOffset: 11,
  statistics: 12,
} as const;
const Statistics = { nulls: 3, max: 5, min: 6 } as const;
const SchemaElement = { type: 1, repetition: 3, name: 4, children: 5, converted: 6, logical: 10 } as const;
const LogicalType = { string: 1, list: 3, timestamp: 8, integer: 10 } as const;
const TimestampType = { isUtc: 1, unit: 2 } as const;
const TimeUnit = { nanoseconds: 3 } as const;
const IntType = { bits: 1, isSigned: 2 } as const;
const ColumnOrder = { byType: 1 } as const;

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

interface ParquetOptions {
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
    thrift.int(FileMetaData.version, VERSION);
    putSchema(thrift, this.#columns);
    thrift.long(FileMetaData.rows, this.rows);
    thrift.structs(FileMetaData.rowGroups, this.#groups, (group) => this.#putGroup(thrift, group));
    thrift.binary(FileMetaData.createdBy, this.#options.createdBy);
    // The smallest and largest values are by the order of the types.
    thrift.structs(FileMetaData.columnOrders, this.#columns, () => putEmpty(thrift, ColumnOrder.byType));
    return thrift.end();
  }

  #putGroup(thrift: ThriftWriter, { rows, start, chunks }: Group): void {
    const sum = (size: (chunk: Chunk) => number) => chunks.reduce((total, chunk) => total + size(chunk), 0);
    thrift.structs(RowGroup.columns, chunks, (chunk) => {
      const column = this.#columns[chunks.indexOf(chunk)] as Column;
      thrift.long(ColumnChunkField.fileOffset, chunk.start);
      thrift.struct(ColumnChunkField.metadata, () => putChunk(thrift, column, chunk));
    });
    const uncompressedSize = sum((chunk) => chunk.uncompressedSize);
    thrift.long(RowGroup.byteSize, uncompressedSize).long(RowGroup.rows, rows);
    thrift.long(RowGroup.fileOffset, start);
    const compressedSize = sum(({ size }) => size);
    thrift.long(RowGroup.compressedSize, compressedSize);
  }
}

function putChunk(thrift: ThriftWriter, column: Column, chunk: Chunk): void {
  const { start, dictionarySize, range } = chunk;
  thrift.int(ColumnMetaData.type, column.type).ints(ColumnMetaData.encodings, chunk.encodings);
  thrift.texts(ColumnMetaData.path, column.isList ? [column.name, 'list', 'element'] : [column.name]);
  thrift.int(ColumnMetaData.codec, SNAPPY).long(ColumnMetaData.values, chunk.values);
  thrift.long(ColumnMetaData.uncompressedSize, chunk.uncompressedSize);
  thrift.long(ColumnMetaData.compressedSize, chunk.size);
  thrift.long(ColumnMetaData.dataPageOffset, start + dictionarySize);
  if (dictionarySize > 0) thrift.long(ColumnMetaData.dictionaryPageOffset, start);
  thrift.struct(ColumnMetaData.statistics, () => {
    thrift.long(Statistics.nulls, chunk.nulls);
    if (range !== undefined) thrift.binary(Statistics.max, range.max).binary(Statistics.min, range.min);
  });
}

function putSchema(thrift: ThriftWriter, columns: readonly Column[]): void {
  const { repetition, name, children, converted, logical } = SchemaElement;
  const nodes: (() => void)[] = [() => thrift.binary(name, 'schema').int(children, columns.length)];
  for (const column of columns) {
    if (!column.isList) {
      nodes.push(() => putLeaf(thrift, column, column.name));
      continue;
    }
    nodes.push(() => {
      thrift.int(repetition, OPTIONAL).binary(name, column.name).int(children, 1);
      thrift.int(converted, CONVERTED_LIST).struct(logical, () => putEmpty(thrift, LogicalType.list));
    });
    nodes.push(() => thrift.int(repetition, REPEATED).binary(name, 'list').int(children, 1));
    nodes.push(() => putLeaf(thrift, column, 'element'));
  }
  thrift.structs(FileMetaData.schema, nodes, (put) => put());
}

function putLeaf(thrift: ThriftWriter, { type, logical }: ColumnType, name: string): void {
  thrift.int(SchemaElement.type, type).int(SchemaElement.repetition, OPTIONAL);
  thrift.binary(SchemaElement.name, name);
  const converted = CONVERTED[logical];
  if (converted !== undefined) thrift.int(SchemaElement.converted, converted);
  const put = LOGICAL[logical];
  if (put !== undefined && (logical !== 'unsigned' || type === Type.Int64)) {
    thrift.struct(SchemaElement.logical, () => put(thrift));
  }
}

const LOGICAL: Readonly<Record<ColumnType['logical'], ((thrift: ThriftWriter) => void) | undefined>> = {
  text: (thrift) => putEmpty(thrift, LogicalType.string),
  timestamp: (thrift) =>
    thrift.struct(LogicalType.timestamp, () => {
      thrift.bool(TimestampType.isUtc, true);
      thrift.struct(TimestampType.unit, () => putEmpty(thrift, TimeUnit.nanoseconds));
    }),
  unsigned: (thrift) =>
    thrift.struct(LogicalType.integer, () => thrift.byte(IntType.bits, 64).bool(IntType.isSigned, false)),
  none: undefined,
};

/** What says all by being there. */
function putEmpty(thrift: ThriftWriter, field: number): void {
  thrift.struct(field, () => {});
}
