/** A view for each kind of event, `"MyCompany-MyService/RequestStart"`: its events, with a typed column for each field. */
import type { DuckDbConnection } from './duckdb.ts';
import { identifier, jsonPointer, literal, UniqueNames } from './sql-text.ts';

/** The rarest kinds of a trace with more have no view. */
const MAX_KINDS = 5000;
/** The other fields are in the payload. */
const MAX_FIELDS = 1000;
/** The events whose fields determine the columns: not all of a fleet's. */
const MAX_TYPED = 2_000_000;

/** What all events of a kind have in common: left out of its view. */
const KIND_COLUMNS = ['provider', 'provider_guid', 'name', 'id', 'version', 'opcode', 'task', 'keywords'];

/** The types of JSON's values, where JSON is one of several types; objects and lists stay JSON. */
const FIELD_TYPES: Readonly<Record<string, string>> = {
  '"VARCHAR"': 'VARCHAR',
  '"JSON"': 'VARCHAR',
  '"BOOLEAN"': 'BOOLEAN',
  '"DOUBLE"': 'DOUBLE',
  '"BIGINT"': 'BIGINT',
  '"UBIGINT"': 'BIGINT',
  '"HUGEINT"': 'HUGEINT',
  '"NULL"': 'VARCHAR',
};

/** Integers of 64 bits are text in payloads: as numbers, unless another event has other text in the field. */
const WITH_INTEGERS = `regexp_replace(payload, '":"(-?(?:0|[1-9][0-9]{0,18}))"', '":\\1', 'g')`;
/** Numbers that may be beyond 64 bits with a sign. */
const LONG_NUMBER = "'[0-9]{19}'";

interface Kind {
  readonly provider: string;
  readonly name: string;
  /** The type of each field, as JSON. */
  readonly structure: string | null;
  readonly hasLongNumbers: boolean;
}

/**
 * @param columns those of `events`
 * @returns the number of kinds without a view
 */
export async function createEventViews(
  connection: DuckDbConnection,
  columns: readonly string[],
): Promise<number> {
  const kinds = await kindsOf(connection);
  const names = new UniqueNames();
  const shared = columns.filter((column) => !KIND_COLUMNS.includes(column));
  const statements = kinds
    .slice(0, MAX_KINDS)
    .map((kind) => viewOf(names.of(`${kind.provider}/${kind.name}`), kind, shared));
  if (statements.length > 0) await connection.run(statements.join(';\n'));
  return Math.max(0, kinds.length - MAX_KINDS);
}

/** The most frequent first. */
async function kindsOf(connection: DuckDbConnection): Promise<Kind[]> {
  const result = await connection.stream(`WITH kinds AS (
      SELECT provider, name, count(*) AS events FROM events WHERE provider IS NOT NULL AND name IS NOT NULL
      GROUP BY provider, name ORDER BY events DESC, provider, name LIMIT ${MAX_KINDS + 1}
    ), typed AS (
      SELECT provider, name, json_group_structure(TRY_CAST(${WITH_INTEGERS} AS JSON)) AS structure,
        bool_or(regexp_matches(payload, ${LONG_NUMBER})) AS has_long
      FROM (SELECT provider, name, payload FROM events LIMIT ${MAX_TYPED}) GROUP BY provider, name
    )
    SELECT provider, name, structure, coalesce(has_long, false)
    FROM kinds LEFT JOIN typed USING (provider, name) ORDER BY events DESC, provider, name`);
  const kinds: Kind[] = [];
  for await (const rows of result.yieldRows()) {
    for (const [provider, name, structure, hasLongNumbers] of rows) {
      kinds.push({ provider, name, structure, hasLongNumbers } as Kind);
    }
  }
  return kinds;
}

function viewOf(view: string, kind: Kind, shared: readonly string[]): string {
  const names = new UniqueNames(shared);
  const fields = Object.entries(fieldsOf(kind)).slice(0, MAX_FIELDS);
  const columns = fields.map(([field, type]) => {
    // No identifier is empty.
    const name = shared.includes(field.toLowerCase()) ? `payload_${field}` : field || '_';
    return `${columnOf(field, type, kind)} AS ${identifier(names.of(name))}`;
  });
  const all = [...shared.map(identifier), ...columns];
  const { provider, name } = kind;
  return `CREATE OR REPLACE VIEW ${identifier(view)} AS SELECT ${all.join(', ')}
    FROM events WHERE provider = ${literal(provider)} AND name = ${literal(name)}`;
}

function columnOf(field: string, type: unknown, { hasLongNumbers }: Kind): string {
  const found = FIELD_TYPES[JSON.stringify(type)];
  const text = `payload ->> ${jsonPointer(field)}`;
  if (found === undefined) return `(payload -> ${jsonPointer(field)})`;
  if (found === 'VARCHAR') return `(${text})`;
  return `TRY_CAST(${text} AS ${found === 'BIGINT' && hasLongNumbers ? 'HUGEINT' : found})`;
}

/** A payload that is not an object has no fields. */
function fieldsOf({ structure }: Kind): Readonly<Record<string, unknown>> {
  const fields: unknown = JSON.parse(structure ?? '{}');
  return typeof fields === 'object' && fields !== null && !Array.isArray(fields)
    ? (fields as Readonly<Record<string, unknown>>)
    : {};
}
