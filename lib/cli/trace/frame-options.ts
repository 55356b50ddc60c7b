/** The options of commands that name the frames of stacks. */
import { frameNamesIn } from '../../view/cpu/frame-folders.ts';
import type { FrameNames } from '../../view/cpu/frame-names.ts';
import type { OptionValues } from '../file-arguments.ts';

export const FRAME_OPTIONS = {
  symbols: { type: 'string', multiple: true },
  'source-maps': { type: 'string', multiple: true },
} as const;

export const FRAME_USAGE = `  --symbols DIR    names functions of programs, libraries and the kernel by the files in this folder, where DIR is the
                   root of the system that was recorded (/ for this one) or has the files themselves, such as PDBs; can
                   be repeated. Maps of JavaScript (perf-PID.map) are also found in /tmp
  --source-maps DIR
                   names functions of bundled and compiled JavaScript as in its sources, by the source maps in this
                   folder; can be repeated. Maps in the JavaScript or beside it are found without this
`;

export function frameNames(values: OptionValues<typeof FRAME_OPTIONS>): FrameNames {
  return frameNamesIn({ symbols: values.symbols, sourceMaps: values['source-maps'] });
}
