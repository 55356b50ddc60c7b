/** The options of commands that name the frames of stacks. */
import { type FrameFolders, frameNamesIn } from '../../view/cpu/frame-folders.ts';
import type { FrameNames } from '../../view/cpu/frame-names.ts';
import { FOLDER } from '../argument-values.ts';
import type { OptionRows, OptionValues } from '../parse-options.ts';

export const FRAME_OPTIONS = {
  symbols: FOLDER.repeated(`names functions of programs, libraries and the kernel by the files in this folder,
      which is the root of the system that was recorded (/ for this one) or has the files themselves, such as
      PDBs. Maps of JavaScript (perf-PID.map) are also found in /tmp`),
  'source-maps': FOLDER.repeated(`names functions of bundled and compiled JavaScript as in its sources, by the
      source maps in this folder. Maps in the JavaScript or beside it are found without this`),
} as const satisfies OptionRows;

type Values = OptionValues<typeof FRAME_OPTIONS>;

export function frameFolders(values: Values): FrameFolders {
  return { symbols: values.symbols, sourceMaps: values['source-maps'] };
}

export function frameNames(values: Values): FrameNames {
  return frameNamesIn(frameFolders(values));
}
