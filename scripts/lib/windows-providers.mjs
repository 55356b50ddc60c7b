// Packs lib/known/windows-providers.tsv, the providers of Windows as facts, for the package. A provider is a line
// of its GUID and name. Its events follow, if they are known: an empty column, id, version, task, opcode, and fields as
// `Name:InType`, with `[number or field]` for a length or count. Column by column it compresses to a fifth less.
import { brotliCompressSync, constants } from 'node:zlib';

/** @param {string} text */
export function packWindowsProviders(text) {
  const providers = [];
  /** @type {string[][]} */
  const columns = [[], [], [], []];
  for (const line of text.trimEnd().split('\n')) {
    const [guid, ...rest] = line.split('\t');
    if (guid !== '') {
      providers.push({ guid, name: rest[0], events: 0 });
      continue;
    }
    providers.at(-1).events++;
    const [id, version, task = '', opcode = '', fields = ''] = rest;
    for (const [column, value] of [`${id} ${version}`, task, opcode, fields].entries())
      columns[column].push(value);
  }
  const heads = providers.map(({ guid, name, events }) => `${guid}\t${name}\t${events}`);
  return brotliCompressSync([heads, ...columns].map((lines) => lines.join('\n')).join('\0'), {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_LGWIN]: 24,
    },
  });
}
