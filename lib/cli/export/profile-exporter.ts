/** What exports a trace as a profile, and what writes a session as one while it runs. */
import { CpuprofileExport } from '../../export/cpuprofile-export.ts';
import type { ExportedTrace, Exporter } from '../../export/exporter.ts';
import { OtlpProfileExport } from '../../export/otlp-profile-export.ts';
import { PprofExport } from '../../export/pprof-export.ts';
import { openTrace } from '../../trace/open-trace.ts';
import type { FrameNames } from '../../view/cpu/frame-names.ts';
import type { CommandOutput } from '../command-output.ts';
import { warn } from '../messages.ts';
import { frameNames } from '../trace/frame-options.ts';
import type { ProfileFormat } from './profile-format.ts';

export function profileExporter(
  { format, encoding }: ProfileFormat,
  trace: ExportedTrace,
  names: FrameNames,
): Exporter {
  switch (format) {
    case 'pprof':
      return new PprofExport(trace, names);
    case 'cpuprofile':
      return new CpuprofileExport(trace, names);
    case 'otlp-profiles':
      return new OtlpProfileExport(encoding, trace, names);
  }
}

/** Writes the session's samples when it has ended. */
export async function writeProfile(
  stream: AsyncIterable<Uint8Array>,
  output: CommandOutput,
  format: ProfileFormat,
): Promise<void> {
  const trace = await openTrace(stream, { onDamage: 'warning' });
  const exporter = profileExporter(format, trace, frameNames({}));
  for await (const batch of trace.batches()) for (const event of batch) exporter.add(event);
  for (const piece of exporter.end(trace)) await output.write(piece);
  for (const notice of exporter.notices) warn(notice);
}
