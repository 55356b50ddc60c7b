/** Parsing tracerpt's output, with samples written by hand from the documentation, and comparing it. */
import { describe, expect, it } from 'vitest';
import { parseTracerpt, recordingProblems, tracerptText } from '../../scripts/ci/tracerpt-xml.mjs';

const GUID = 'c32b511d-c5d7-56bf-48d9-c96bbd9ed1e8';
const OUTER = '00000011-0000-0000-0000-0000f7c69d59';
const INNER = '00001011-0000-0000-0000-0000f7f69d59';

interface Sample {
  readonly correlation: string;
  readonly rendering: string;
  readonly data: string;
}

function eventXml({ correlation, rendering, data }: Sample): string {
  return `<Event xmlns="http://schemas.microsoft.com/win/2004/08/events/event">
	<System>
		<Provider Name="MyCompany-MyService" Guid="{${GUID.toUpperCase()}}" />
		<EventID>3</EventID>
		<Version>0</Version>
		<Level>5</Level>
		<Task>0</Task>
		<Opcode>1</Opcode>
		<Keywords>0x8000000000000002</Keywords>
		<TimeCreated SystemTime="2026-11-21T10:00:00.123456700Z" />
		<Correlation ${correlation} />
		<Execution ProcessID="5120" ThreadID="6400" ProcessorID="1" KernelTime="0" UserTime="15" />
		<Channel />
		<Computer />
	</System>
	<EventData>
${data}
	</EventData>
	<RenderingInfo Culture="en-US">
		<Level>Verbose </Level>
		<Opcode>Start </Opcode>
		${rendering}
	</RenderingInfo>
	<ExtendedTracingInfo xmlns="http://schemas.microsoft.com/win/2004/08/events/trace">
		<EventGuid>{00000000-0000-0000-0000-000000000000}</EventGuid>
	</ExtendedTracingInfo>
</Event>
`;
}

const nested = eventXml({
  correlation: `ActivityID="{${INNER.toUpperCase()}}" RelatedActivityID="{${OUTER}}"`,
  rendering: '<Task>QueryStart </Task>',
  data: `		<Data Name="text">&lt;a&gt; &amp; &quot;b&quot; &#233;&#xe9;</Data>
		<Data Name="number">     -7</Data>
		<Data Name="empty"></Data>
		<Data Name="none" />`,
});

const queryStart = {
  providerGuid: GUID,
  name: 'QueryStart',
  level: 5,
  opcode: 1,
  keywords: 0x8000000000000002n,
  processId: 5120,
  activityId: INNER,
  relatedActivityId: OUTER,
  fields: { text: '<a> & "b" éé', number: '-7', empty: '', none: '' },
};

/** What tracerpt begins every file with: the log's own header, which is no event of any provider here. */
const header = `<Event xmlns="http://schemas.microsoft.com/win/2004/08/events/event">
	<System>
		<Provider Guid="{68fdd900-4a3e-11d1-84f4-0000f80464e3}" />
		<EventID>0</EventID><Level>0</Level><Opcode>0</Opcode><Keywords>0x0</Keywords>
		<Execution ProcessID="4" ThreadID="8" />
	</System>
	<EventData><Data Name="BuffersLost">       0</Data></EventData>
	<RenderingInfo Culture="en-US"><EventName xmlns="http://schemas.microsoft.com/win/2004/08/events/trace">EventTrace</EventName></RenderingInfo>
</Event>`;

describe('the output of tracerpt', () => {
  it('is read with level, opcode, keywords, both activity ids and every field', () => {
    expect(parseTracerpt(`<Events>\n${header}${nested}</Events>`)).toEqual([
      expect.objectContaining({ name: 'EventTrace', processId: 4, activityId: undefined }),
      queryStart,
    ]);
  });

  it("may contain the event's name as such, and ids of zeros for none", () => {
    const zero = '{00000000-0000-0000-0000-000000000000}';
    const xml = eventXml({
      correlation: `ActivityID="${zero}" RelatedActivityID="${zero}"`,
      rendering: '<EventName xmlns="http://schemas.microsoft.com/win/2004/08/events/trace">Row</EventName>',
      data: '',
    });
    expect(parseTracerpt(xml)).toEqual([
      { ...queryStart, name: 'Row', activityId: undefined, relatedActivityId: undefined, fields: {} },
    ]);
  });

  it('is UTF-16 with a byte order mark, or UTF-8 with or without one', () => {
    const text = 'é€';
    const utf16 = Buffer.concat([Buffer.of(0xff, 0xfe), Buffer.from(text, 'utf16le')]);
    expect(tracerptText(utf16)).toBe(text);
    expect(tracerptText(Buffer.from(`\ufeff${text}`))).toBe(text);
    expect(tracerptText(Buffer.from(text))).toBe(text);
  });
});

describe('a recording', () => {
  const foreign = { ...queryStart, processId: 1 };

  it('is correct if it contains every expected event, in order, among others', () => {
    const row = { ...queryStart, name: 'Row', fields: { b: '2', a: '1' } };
    const recorded = [foreign, queryStart, { ...row, fields: { a: '1', b: '2' } }];
    expect(recordingProblems([queryStart, row], recorded)).toEqual([]);
  });

  it('is wrong if an event is missing or superfluous', () => {
    expect(recordingProblems([queryStart], [foreign])).toEqual([
      'Of 1 events 0 are recorded (of all providers: 1).',
      'Event 0, QueryStart, is missing.',
    ]);
    expect(recordingProblems([queryStart], [queryStart, queryStart])).toEqual([
      'Of 1 events 2 are recorded (of all providers: 2).',
    ]);
  });

  it('is wrong if a name, a number, an id or a field differs', () => {
    const changes = [
      { name: 'Other' },
      { level: 4 },
      { opcode: 2 },
      { keywords: 2n },
      { activityId: OUTER },
      { relatedActivityId: undefined },
      { fields: { ...queryStart.fields, number: '7' } },
    ];
    for (const change of changes) {
      const [key = ''] = Object.keys(change);
      const problems = recordingProblems([queryStart], [{ ...queryStart, ...change }]);
      expect(problems).toEqual([expect.stringContaining(`Event 0, QueryStart: ${key} is `)]);
    }
    const noRelated = { ...queryStart, relatedActivityId: undefined };
    expect(recordingProblems([noRelated], [queryStart])).toEqual([
      `Event 0, QueryStart: relatedActivityId is "${OUTER}", and not none.`,
    ]);
  });

  it('of a program that wrote nothing proves nothing', () => {
    expect(recordingProblems([], [queryStart])).toEqual(['No event is expected.']);
  });
});
