/** The names that .NET's tools use where an event has only a number, or nothing. */
import { OPCODE_NAMES } from '../wire/manifest/constants.ts';

/** `Start`; undefined for an application's own opcodes. */
export function opcodeNameOf(opcode: number): string | undefined {
  return OPCODE_NAMES.get(opcode)?.slice('win:'.length);
}

const START_OPCODE = 1;
const STOP_OPCODE = 2;

/** The task of `RequestStart` and `RequestStop` is `Request`, if their opcodes are Start and Stop. */
export function taskNameOf(name: string, opcode: number): string | undefined {
  if (opcode !== START_OPCODE && opcode !== STOP_OPCODE) return undefined;
  const suffix = opcode === START_OPCODE ? 'Start' : 'Stop';
  return hasSuffix(name, suffix) ? name.slice(0, -suffix.length) : undefined;
}

/** The opcode that EventSource infers from the name of an event without an explicit one. */
export function opcodeByName(name: string): number {
  if (hasSuffix(name, 'Start')) return START_OPCODE;
  return hasSuffix(name, 'Stop') ? STOP_OPCODE : 0;
}

/** Case-insensitive, and not as the whole name. */
function hasSuffix(name: string, suffix: string): boolean {
  return name.length > suffix.length && name.slice(-suffix.length).toLowerCase() === suffix.toLowerCase();
}
