/** Manifests written by others, and texts that are not manifests. */
import { describe, expect, it } from 'vitest';
import { ManifestError } from '../../../lib/wire/manifest/error.ts';
import { parseManifest } from './parse-manifest.ts';

/** As .NET Framework 4.5 wrote it: no symbols, no session keywords, and maps. */
const TASKS = `<instrumentationManifest xmlns="http://schemas.microsoft.com/win/2004/08/events">
 <instrumentation>
  <events xmlns="http://schemas.microsoft.com/win/2004/08/events">
<provider name="Tasks" guid="{2E5DBA47-a3d2-4d16-8ee0-6671ffdcd7b5}" symbol="Tasks">
 <tasks>
  <task name="Loop" value="1"/>
 </tasks>
 <maps>
  <valueMap name="Behavior">
   <map value="0x1" message="$(string.map_Behavior.Synchronous)"/>
   <map value="0x2" message="Asynchronous"/>
  </valueMap>
  <bitMap name="Flags">
   <map value="0x4" message="$(string.missing)"/>
  </bitMap>
 </maps>
 <opcodes>
  <opcode name="Handled"  message="$(string.opcode_Handled)" value="11"/>
 </opcodes>
 <keywords>
  <keyword name="TaskTransfer"  message="$(string.keyword_TaskTransfer)" mask="0x1"/>
  <keyword name="Tasks"  message="$(string.keyword_Tasks)" mask="0x2"/>
 </keywords>
 <events>
  <event value="9" version="1" level="win:Informational" message="$(string.event_Done)" keywords="TaskTransfer Tasks" opcode="win:Stop" task="Loop" template="DoneArgs"/>
  <event value='12' level='win:Verbose' opcode='Handled'/>
 </events>
 <templates>
  <template tid="DoneArgs">
   <data name="Behavior" inType="win:UInt32" map="Behavior"/>
   <data name="Flags" inType="win:UInt32" map="Flags"/>
  </template>
 </templates>
</provider>
</events>
</instrumentation>
<localization>
 <resources culture="en-US">
  <stringTable>
   <string id="event_Done" value="Task %1 &quot;done&quot; &#38; &#x67;one."/>
   <string id="map_Behavior.Synchronous" value="Synchronous"/>
  </stringTable>
 </resources>
 <resources culture="de-DE">
  <stringTable>
   <string id="event_Done" value="Fertig."/>
  </stringTable>
 </resources>
</localization>
</instrumentationManifest>
`;

describe('a manifest of an older .NET', () => {
  it('is read with its maps and messages', () => {
    expect(parseManifest(TASKS)).toEqual({
      name: 'Tasks',
      guid: '2e5dba47-a3d2-4d16-8ee0-6671ffdcd7b5',
      keywords: [
        { name: 'TaskTransfer', mask: 1n },
        { name: 'Tasks', mask: 2n },
      ],
      events: [
        {
          id: 9,
          version: 1,
          level: 4,
          keywords: 3n,
          opcode: { name: 'win:Stop', value: 2 },
          task: { name: 'Loop', value: 1 },
          message: 'Task %1 "done" & gone.',
          fields: [
            {
              name: 'Behavior',
              inType: 'win:UInt32',
              map: {
                kind: 'values',
                entries: [
                  { name: 'Synchronous', value: 1 },
                  { name: 'Asynchronous', value: 2 },
                ],
              },
            },
            {
              name: 'Flags',
              inType: 'win:UInt32',
              map: { kind: 'bits', entries: [{ name: '$(string.missing)', value: 4 }] },
            },
          ],
        },
        { id: 12, version: 0, level: 5, keywords: 0n, opcode: { name: 'Handled', value: 11 }, fields: [] },
      ],
    });
  });

  it('may have comments and a declaration', () => {
    const text = `<?xml version="1.0"?>\n<!-- <provider name="none"> -->\n${TASKS}`;
    expect(parseManifest(text)).toEqual(parseManifest(TASKS));
  });
});

describe('a text that is not a manifest', () => {
  const provider = (content: string) => `<provider name="P" guid="{}">${content}</provider>`;

  it.each([
    ['', 'The manifest has no provider. (at character 0)'],
    ['text', 'The manifest has no provider.'],
    [`<a/>${provider('')}${provider('')}`, 'The manifest has more than one provider. (at character 44)'],
    ['<provider guid="{}"/>', 'A <provider> has no name.'],
    ['<provider name="P"/>', 'A <provider> has no guid.'],
    [provider('<event value="1"/>'), 'A <event> has no level.'],
    [provider('<event level="win:Verbose"/>'), 'A <event> has no value.'],
    [
      provider('<event value="x" level="win:Verbose"/>'),
      'A <event> has the value "x", which is not a number.',
    ],
    [provider('<event value="1" level="high"/>'), 'An <event> has the level "high", which is not declared.'],
    [provider('<event value="1" level="win:Verbose" task="T"/>'), 'has the task "T", which is not declared.'],
    [provider('<event value="1" level="win:Verbose" opcode="O"/>'), 'has the opcode "O", which is'],
    [provider('<event value="1" level="win:Verbose" keywords="K"/>'), 'has the keywords "K", which is'],
    [provider('<event value="1" level="win:Verbose" template="T"/>'), 'has the template "T", which is'],
    [provider('<template tid="T"><data name="f"/></template>'), 'A <data> has no inType.'],
    [
      provider('<template tid="T"><data name="f" inType="win:UInt8" map="M"/></template>'),
      'has the map "M", which is not declared.',
    ],
    ['<provider name="P', 'The tag "<provider name="P" is malformed. (at character 0)'],
    ['<provider name=P>', 'is malformed.'],
    ['< >', 'The tag "< >" is malformed.'],
    ['<!-- no end', '"<!-- no en" has no "-->". (at character 0)'],
    ['<? no end', 'has no "?>".'],
  ])('%j is rejected: %s', (text, message) => {
    expect(() => parseManifest(text)).toThrow(ManifestError);
    expect(() => parseManifest(text)).toThrow(message);
  });

  it('because it was cut anywhere is rejected or read, and nothing else', () => {
    let refused = 0;
    for (let length = 0; length < TASKS.length; length++) {
      try {
        parseManifest(TASKS.slice(0, length));
      } catch (error) {
        expect(error).toBeInstanceOf(ManifestError);
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(500);
  });
});
