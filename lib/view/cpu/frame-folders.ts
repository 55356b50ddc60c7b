/** Where names of functions are found besides in the trace itself. */
import { SourceMaps } from '../../symbols/source-maps.ts';
import { SymbolFolders } from '../../symbols/symbol-folders.ts';
import { FrameNames } from './frame-names.ts';

export interface FrameFolders {
  /** Folders with programs, libraries and kernel symbols, which name the functions of stacks. */
  readonly symbols?: readonly string[] | undefined;
  /** Folders with source maps, which name the functions of bundled and compiled JavaScript. */
  readonly sourceMaps?: readonly string[] | undefined;
}

/** Frames named by the files in these folders, by those that the trace names, and by perf maps in /tmp. */
export function frameNamesIn({ symbols = [], sourceMaps = [] }: FrameFolders): FrameNames {
  return new FrameNames(new SymbolFolders(symbols), new SourceMaps(sourceMaps));
}
