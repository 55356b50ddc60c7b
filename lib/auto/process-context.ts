/**
 * OpenTelemetry's process context: profilers outside the process, such as those of eBPF, read from its memory whose
 * samples they take. It has the attributes of the resource that the process's spans have.
 *
 * There is no thread context (otel_thread_ctx_v1), which would tell them the running activity: Node.js tells about the
 * change of contexts only by hooks, with which each `await` would take 33 ns longer on Node.js 24, and 52 ns on 26.
 *
 * Source: opentelemetry-specification, oteps/profiles/4719-process-ctx.md and 4947-thread-ctx.md.
 */

import { systemErrorName } from '../base/system-code.ts';
import { otlpResource } from '../export/otlp-settings.ts';
import { attributesOf } from '../export/otlp-values.ts';
import { entryPoint } from '../listen/this-process.ts';
import { linuxAddon } from '../platform/addon.ts';
import { textOf } from '../platform/linux-process.ts';
import { encodeProcessContext } from '../wire/otlp.ts';
import type { ProcessContext } from './settings.ts';

/** OpenTelemetry's profiler reads no larger one. Source: opentelemetry-ebpf-profiler, processcontext/processcontext.go. */
const MAX_BYTES = 65_536;
const MAPPING = /(?:\[anon_shmem:|\[anon:|\/memfd:)OTEL_CTX/;

let isPublished = false;

/**
 * Replaces what is published.
 *
 * @throws Error with a sentence
 */
export function publishProcessContext(context: ProcessContext): void {
  if (context === false && !isPublished) return;
  const payload = context === false ? new Uint8Array() : payloadOf(context === true ? {} : context);
  if (payload.length > MAX_BYTES) {
    throw new Error(
      `its attributes take ${payload.length} bytes, and profilers read at most ${MAX_BYTES}: shorten OTEL_RESOURCE_ATTRIBUTES or the option processContext.`,
    );
  }
  // By the specification, there is only one.
  if (!isPublished && MAPPING.test(textOf('/proc/self/maps'))) {
    throw new Error('something else in this process has already published one.');
  }
  const addon = linuxAddon();
  if ('reason' in addon) throw new Error(addon.reason);
  const error = addon.setProcessContext(payload);
  if (error !== 0) {
    throw new Error(
      `the system allows neither a file in memory (memfd_create) nor a name for memory (PR_SET_VMA_ANON_NAME, from Linux 5.17 on): ${systemErrorName(-error)}.`,
    );
  }
  isPublished = context !== false;
}

function payloadOf(attributes: Readonly<Record<string, string>>): Uint8Array {
  return encodeProcessContext(
    attributesOf({
      'service.name': entryPoint(),
      'process.pid': process.pid,
      ...otlpResource(),
      ...attributes,
    }),
  );
}
