/** GUIDs of .NET's providers, some of which were given and not made from the name. */
import { DOTNET_TABLES } from '../../wire/known/dotnet.ts';

const GUIDS: ReadonlyMap<string, string> = new Map(
  Array.from(DOTNET_TABLES, ([guid, { provider }]) => [provider, guid]),
);

/** A nettrace has names of providers, and mostly not their GUIDs. */
export function dotnetProviderGuid(provider: string): string | undefined {
  return GUIDS.get(provider);
}
