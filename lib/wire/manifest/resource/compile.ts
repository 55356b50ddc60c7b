/**
 * Makes the DLL of a manifest: what Microsoft's message and resource compilers and a linker make of it, in one step and
 * on any system. Windows reads channels, names, templates and messages from it.
 */
import { type Resource, resourceDll } from '../../pe/resource-dll.ts';
import { languageId } from './language.ts';
import { messageTable } from './message-table.ts';
import { readDefinition } from './read-definition.ts';
import { wevtTemplate } from './wevt-template.ts';

const MESSAGE_TABLE = 11;
const ENGLISH = 0x409;

/**
 * @param xml a manifest of one provider
 * @throws ManifestError or RangeError, with a sentence
 */
export function compileManifest(xml: string): Uint8Array {
  const definition = readDefinition(xml);
  const data = wevtTemplate(definition);
  const resources: Resource[] = [{ type: 'WEVT_TEMPLATE', id: 1, language: ENGLISH, data }];
  const cultures = new Map<number, string>();
  for (const [culture, messages] of definition.messages) {
    const language = languageId(culture);
    if (language === undefined)
      throw new RangeError(`The manifest has messages of ${culture}, for which Windows has no number.`);
    const other = cultures.get(language);
    if (other !== undefined)
      throw new RangeError(
        `The manifest has messages of ${other} and ${culture}, which are one language of Windows.`,
      );
    cultures.set(language, culture);
    resources.push({ type: MESSAGE_TABLE, id: 1, language, data: messageTable(messages) });
  }
  return resourceDll(resources);
}
