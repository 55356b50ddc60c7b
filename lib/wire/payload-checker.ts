/** Checks whether the values of a payload fit the fields of an event, without encoding it. */
import { CompiledFields, generate, type ValueSchema } from './payload-writer.ts';
import type { FieldSchema } from './schema.ts';
import { type Check, type Checks, fitsAsWhole, isArrayLike } from './values/checks.ts';
import type { Payload } from './values/faults.ts';

/** A value that does not fit its field. */
export interface BadValue {
  /** The field's name; in structs and arrays, a path: `user.name`, `sizes[3]`. */
  readonly field: string;
  readonly type: string;
  readonly value: unknown;
}

export type FieldsCheck = (payload: Payload) => boolean;

interface CheckedField {
  readonly schema: FieldSchema;
  readonly fits: Check;
  /** The check of an array's elements; otherwise the same as `fits`. */
  readonly elementFits: Check;
  /** The members of a struct. */
  readonly members: readonly CheckedField[];
}

export class PayloadChecker {
  readonly #schemas: readonly FieldSchema[];
  readonly #checks: Checks;

  /** @param checks the format's */
  constructor(fields: readonly FieldSchema[], checks: Checks) {
    this.#schemas = fields;
    this.#checks = checks;
  }

  /** The function that tells whether all values of a payload fit. Throws what reading the payload throws. */
  compile(): FieldsCheck {
    return compiledOf(this.#schemas, this.#checks).fits;
  }

  /** The values that do not fit. Throws what reading the payload throws. */
  badValues(payload: Payload): readonly BadValue[] {
    return compiledOf(this.#schemas, this.#checks).fields.flatMap((field) =>
      badValuesOf(field, field.schema.name, payload[field.schema.name]),
    );
  }
}

interface Compiled {
  readonly fields: readonly CheckedField[];
  readonly fits: FieldsCheck;
}

const compiledChecks = new CompiledFields<Checks, Compiled>();

function compiledOf(schemas: readonly FieldSchema[], checks: Checks): Compiled {
  return compiledChecks.of(checks, schemas, () => {
    const fields = checkedFields(schemas, checks);
    return { fields, fits: fieldsCheck(fields) };
  });
}

function checkedFields(schemas: readonly FieldSchema[], checks: Checks): CheckedField[] {
  return schemas.map((schema) => {
    const members = schema.type === 'struct' ? checkedFields(schema.fields, checks) : [];
    const elementFits =
      schema.type === 'struct' ? structCheck(fieldsCheck(members)) : valueCheck(schema, checks);
    return {
      schema,
      fits: schema.array ? arrayCheck(schema, elementFits) : elementFits,
      elementFits,
      members,
    };
  });
}

function valueCheck(schema: ValueSchema, checks: Checks): Check {
  const fits = checks[schema.type];
  if (fits === undefined) throw new TypeError(`The format has no fields of type ${schema.type}.`);
  return schema.nullable ? (value) => value === null || value === undefined || fits(value) : fits;
}

function structCheck(fits: FieldsCheck): Check {
  return (value) => typeof value === 'object' && value !== null && fits(value as Payload);
}

function arrayCheck({ type }: FieldSchema, fits: Check): Check {
  return (value) => {
    if (!isArrayLike(value)) return false;
    if (fitsAsWhole(type, value)) return true;
    for (let index = 0; index < value.length; index++) if (!fits(value[index])) return false;
    return true;
  };
}

/** One expression, for the same reasons as in the writer. Each field is read, even after one that does not fit. */
function fieldsCheck(fields: readonly CheckedField[]): FieldsCheck {
  const terms = fields.map(({ schema }, index) => `work${index}(payload[${JSON.stringify(schema.name)}])`);
  const generated = generate<FieldsCheck>(
    `(payload) => Boolean(${['true', ...terms].join(' & ')})`,
    fields.map(({ fits }) => fits),
  );
  if (generated !== undefined) return generated;
  return (payload) => {
    let all = true;
    for (const { schema, fits } of fields) if (!fits(payload[schema.name])) all = false;
    return all;
  };
}

function badValuesOf(field: CheckedField, name: string, value: unknown): BadValue[] {
  if (!field.schema.array) return badElements(field, name, value);
  if (!isArrayLike(value)) return [{ field: name, type: `${field.schema.type} array`, value }];
  return Array.from(value).flatMap((element, index) => badElements(field, `${name}[${index}]`, element));
}

function badElements(field: CheckedField, name: string, value: unknown): BadValue[] {
  if (field.elementFits(value)) return [];
  if (field.members.length === 0 || typeof value !== 'object' || value === null) {
    return [{ field: name, type: field.schema.type, value }];
  }
  const payload = value as Payload;
  return field.members.flatMap((member) =>
    badValuesOf(member, `${name}.${member.schema.name}`, payload[member.schema.name]),
  );
}
