// ETW's bare functions: the addon etwprobe.node, whose functions are listed in probe/probe.cc; and how to construct its
// arguments.
import { createRequire } from 'node:module';

export const probe = createRequire(import.meta.url)(process.env.TRACEWRIGHT_ETW_PROBE);

/** As text, and as Windows has it in memory. */
export const PROVIDER = 'b3864c38-4273-58c5-545b-8b3608343471';
export const PROVIDER_BYTES = Buffer.from('384c86b37342c558545b8b3608343471', 'hex');

/** An EVENT_DESCRIPTOR of TraceLogging's channel. */
export function descriptor(level, keyword) {
  const bytes = Buffer.alloc(16);
  bytes[3] = 11;
  bytes[4] = level;
  bytes.writeBigUInt64LE(keyword, 8);
  return bytes;
}

export const register = () => probe.register(PROVIDER_BYTES);
