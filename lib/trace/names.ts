/** Names that .NET's tools give to what events have only as a number, or not at all. */
import { OPCODE_NAMES } from '../wire/manifest/constants.ts';

/** `Start`; of an application's own opcodes undefined. */
export function opcodeNameOf(opcode: number): string | undefined {
  return OPCODE_NAMES.get(opcode)?.slice('win:'.length);
}

const START_OPCODE = 1;
const STOP_OPCODE = 2;

/** The task of `RequestStart` and `RequestStop`, where the opcode says that they are such, is `Request`. */
export function taskNameOf(name: string, opcode: number): string | undefined {
  if (opcode !== START_OPCODE && opcode !== STOP_OPCODE) return undefined;
  const suffix = opcode === START_OPCODE ? 'Start' : 'Stop';
  return hasSuffix(name, suffix) ? name.slice(0, -suffix.length) : undefined;
}

/** The opcode that EventSource concludes from the name of an event that is given none. */
export function opcodeByName(name: string): number {
  if (hasSuffix(name, 'Start')) return START_OPCODE;
  return hasSuffix(name, 'Stop') ? STOP_OPCODE : 0;
}

/** In whatever case, and not as the whole name. */
function hasSuffix(name: string, suffix: string): boolean {
  return name.length > suffix.length && name.slice(-suffix.length).toLowerCase() === suffix.toLowerCase();
}
