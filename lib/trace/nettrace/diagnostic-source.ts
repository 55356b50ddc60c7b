/**
 * The fields of DiagnosticSourceEventSource, whose metadata lacks them: the version 4 of the format has no
 * arrays of structs. Source: .NET's DiagnosticSourceEventSource.cs.
 */
import { TypeCode } from '../../wire/nettrace/constants.ts';
import type { NetTraceField } from '../../wire/nettrace/field-type.ts';

const PROVIDER = 'Microsoft-Diagnostics-DiagnosticSource';
const EVENTS = new Set([
  'Event',
  'Activity1Start',
  'Activity1Stop',
  'Activity2Start',
  'Activity2Stop',
  'RecursiveActivity1Start',
  'RecursiveActivity1Stop',
]);

const text = (name: string): NetTraceField => ({ name, type: { code: TypeCode.Utf16Text } });

const FIELDS: readonly NetTraceField[] = [
  text('SourceName'),
  text('EventName'),
  {
    name: 'Arguments',
    type: {
      code: TypeCode.Array,
      element: { code: TypeCode.Object, fields: [text('Key'), text('Value')] },
    },
  },
];

/** Empty for all other events. */
export function diagnosticSourceFields(provider: string, name: string): readonly NetTraceField[] {
  return provider === PROVIDER && EVENTS.has(name) ? FIELDS : [];
}
