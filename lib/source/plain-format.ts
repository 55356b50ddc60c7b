/** Plain tracepoints of Linux user_events: one for each event, with ordinary fields. */
import type { EventEncoder } from '../wire/event-encoder.ts';
import {
  PlainTracepointEncoder,
  plainTracepointDefinition,
  plainTracepointName,
  plainTracepointProblem,
} from '../wire/plain-tracepoint.ts';
import type { EventSchema } from '../wire/schema.ts';
import { DefinitionError } from './definition-error.ts';
import type { Provider } from './source-context.ts';
import { TracepointFormat, type TracerFormat } from './tracer-format.ts';

/** The format of a provider for which `checkForPlainTracepoints` did not throw. */
export function plainFormat(provider: Provider): TracerFormat {
  return new PlainFormat(provider);
}

class PlainFormat extends TracepointFormat implements TracerFormat {
  /** Already checked by the definition, on every system. */
  problemOf(): undefined {
    return undefined;
  }

  encoderOf(schema: EventSchema): EventEncoder {
    return new PlainTracepointEncoder(schema);
  }

  nameOf(schema: EventSchema): string {
    return plainTracepointName(this.provider.name, schema.name);
  }

  definitionOf(schema: EventSchema): Uint8Array {
    return Buffer.from(plainTracepointDefinition(this.provider.name, schema));
  }
}

/**
 * Checks on every system, so that mistakes show up where the application is developed.
 *
 * @throws DefinitionError
 */
export function checkForPlainTracepoints(provider: string, schemas: readonly EventSchema[]): void {
  const names = new Map<string, string>();
  for (const schema of schemas) {
    const tracepoint = plainTracepointName(provider, schema.name);
    const other = names.get(tracepoint);
    const problem =
      other === undefined
        ? plainTracepointProblem(provider, schema)
        : `its plain tracepoint has the same name as that of ${other}: ${tracepoint}.`;
    if (problem !== undefined) throw new DefinitionError(`${provider}.${schema.name}`, problem);
    names.set(tracepoint, schema.name);
  }
}
