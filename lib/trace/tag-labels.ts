/**
 * What events say of themselves for the application's own purposes: tags of the event and its fields, and the group of
 * the provider. Readers show them as labels.
 */

/** See `TraceEvent.labels`. */
export type Labels = Readonly<Record<string, string | bigint>>;

/** Tags in hex, as `EventTag` and `FieldTag.name`; undefined if there are none. */
export function tagLabels(
  eventTag: number,
  fields: readonly { readonly name: string; readonly tag: number }[],
): Labels | undefined {
  const entries = fields.map(({ name, tag }) => [`FieldTag.${name}`, tag] as const);
  const tags = [['EventTag', eventTag] as const, ...entries].filter(([, tag]) => tag !== 0);
  if (tags.length === 0) return undefined;
  return Object.fromEntries(tags.map(([name, tag]) => [name, `0x${tag.toString(16)}`]));
}

/** @param group the GUID or name of the provider's group */
export function withGroup(labels: Labels | undefined, group: string | undefined): Labels | undefined {
  return group === undefined ? labels : { ProviderGroup: group, ...labels };
}
