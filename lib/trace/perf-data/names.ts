/** Names that .NET's tools give to what events of Linux have only as a number, or not at all. */
import { OPCODE_NAMES } from '../../wire/manifest/constants.ts';

const START_OPCODE = 1;
const STOP_OPCODE = 2;

/** `Start`; of an application's own opcodes undefined. */
export function opcodeNameOf(opcode: number): string | undefined {
  return OPCODE_NAMES.get(opcode)?.slice('win:'.length);
}

/** The task of `RequestStart` and `RequestStop`, where the opcode says that they are such, is `Request`. */
export function taskNameOf(name: string, opcode: number): string | undefined {
  const suffix = opcode === START_OPCODE ? 'Start' : opcode === STOP_OPCODE ? 'Stop' : undefined;
  if (suffix === undefined || name.length === suffix.length || !name.endsWith(suffix)) return undefined;
  return name.slice(0, -suffix.length);
}
