/** What `tracewright collect -o` loads for a file that is a profile. */
import { EXPORTERS, type ExportFormat, wholeExport } from '../../export/exporters.ts';
import { openTrace } from '../../trace/open-trace.ts';
import type { CommandOutput } from '../command-output.ts';
import { warn } from '../messages.ts';

/** Writes the session's samples when it has ended. */
export async function writeProfile(
  stream: AsyncIterable<Uint8Array>,
  output: CommandOutput,
  format: ExportFormat,
): Promise<void> {
  const trace = await openTrace(stream, { onDamage: 'warning' });
  const exporter = await EXPORTERS[format](trace, {});
  for await (const piece of wholeExport(trace, exporter)) await output.write(piece);
  for (const notice of exporter.notices) warn(notice);
}
