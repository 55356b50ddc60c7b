/** The rules of metadata, of both versions. */
import type { ByteWalker } from './byte-walker.ts';

/** @returns the id */
export function checkMetadataV4(row: ByteWalker): number {
  const id = row.u32();
  row.utf16();
  row.u32();
  row.utf16();
  row.i64();
  row.u32();
  row.u32();
  const count = checkFields(row);
  while (row.left > 0) {
    const size = row.u32();
    const kind = row.u8();
    const tag = row.part(size);
    row.demand(kind === 1 || kind === 2, `There is no tag ${kind}.`);
    if (kind === 1) tag.u8();
    else {
      row.demand(count === 0, 'With V2Params the list of fields is empty.');
      checkSizedFields(tag);
    }
    row.demand(tag.left === 0, 'Nothing stands behind a tag.');
  }
  return id;
}

/** Type, nested fields, name. */
function checkFields(row: ByteWalker): number {
  const count = row.u32();
  for (let i = 0; i < count; i++) {
    const code = row.u32();
    row.demand(code === 1 || (code >= 3 && code <= 18), `Version 4 has no type ${code}.`);
    if (code === 1) checkFields(row);
    row.utf16();
  }
  return count;
}

/** Size with itself, name, type. */
function checkSizedFields(tag: ByteWalker): void {
  for (let left = tag.u32(); left > 0; left--) {
    const field = tag.part(tag.u32() - 4);
    field.utf16();
    checkSizedType(field);
    field.demand(field.left === 0, 'Nothing stands behind a field.');
  }
}

function checkSizedType(field: ByteWalker): void {
  const code = field.u32();
  field.demand(code === 1 || (code >= 3 && code <= 19), `Version 4 has no type ${code}.`);
  if (code === 1) checkSizedFields(field);
  if (code === 19) checkSizedType(field);
}

/** @returns the id */
export function checkMetadataV6Row(row: ByteWalker): number {
  const id = Number(row.varuint(32));
  row.utf8();
  row.varuint(32);
  row.utf8();
  checkFieldsV6(row);
  const optional = row.part(row.u16());
  while (optional.left > 0) checkOptional(optional, optional.u8());
  row.demand(row.left === 0, 'Nothing stands behind the optional metadata.');
  return id;
}

function checkFieldsV6(row: ByteWalker): void {
  for (let left = row.u16(); left > 0; left--) {
    const field = row.part(row.u16());
    field.utf8();
    checkType(field);
    field.demand(field.left === 0, 'Nothing stands behind a field.');
  }
}

const WITH_ELEMENT = [19, 22, 24, 25];

function checkType(field: ByteWalker): void {
  const code = field.u8();
  field.demand(code >= 1 && code <= 26 && code !== 2, `There is no type ${code}.`);
  if (WITH_ELEMENT.includes(code)) checkType(field);
  if (code === 22) field.u16();
  if (code === 1) checkFieldsV6(field);
}

function checkOptional(optional: ByteWalker, kind: number): void {
  switch (kind) {
    case 1:
    case 8:
    case 9:
      optional.u8();
      break;
    case 3:
      optional.i64();
      break;
    case 4:
    case 5:
      optional.utf8();
      break;
    case 6:
      optional.utf8();
      optional.utf8();
      break;
    case 7:
      optional.take(16);
      break;
    default:
      optional.demand(false, `There is no entry ${kind} of metadata.`);
  }
}
