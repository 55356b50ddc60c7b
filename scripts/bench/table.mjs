// Shows a report as Markdown, which is as readable in a terminal as in docs/performance.md.

function number(value) {
  if (value === undefined) return '';
  return value.toFixed(Math.abs(value) < 100 ? 1 : 0).replace(/^-(0\.0)$/, '$1');
}

const NS_PER = { ns: 1, µs: 1e3, ms: 1e6 };

/** The rows of a group's table; the first one contains the column names. */
function rowsOf({ unit, figures }) {
  const hasBytes = figures.some(({ bytes }) => bytes !== undefined);
  const time = (ns) => number(ns === undefined ? undefined : ns / NS_PER[unit]);
  const cells = ({ title, median, best, difference, ratio, bytes }) => [
    title,
    time(median),
    time(best),
    time(difference),
    ratio === undefined ? '' : `${ratio.toFixed(2)}x`,
    ...(hasBytes ? [number(bytes)] : []),
  ];
  const columns = ['', unit, 'best', `more ${unit}`, 'ratio', ...(hasBytes ? ['bytes'] : [])];
  return [columns, ...figures.map(cells)];
}

const readingColumns = ['', 'MB', 'events/s', 'MB/s', 'events/s', 'MB/s', 'memory', 'vs. scan'];
const readingTitle =
  'Reading a trace: without payloads, then with payloads; peak memory; time compared with a loop over the bytes';

const whole = (value) => Math.round(value).toLocaleString('en');

function readingCells({ title, megabytes, headers, payloads, maxRssMegabytes, timesScan }) {
  const rate = ({ eventsPerSecond, megabytesPerSecond }) => [
    whole(eventsPerSecond),
    whole(megabytesPerSecond),
  ];
  const rest = [`${whole(maxRssMegabytes)} MB`, `${timesScan.toFixed(1)}x`];
  return [title, number(megabytes), ...rate(headers), ...rate(payloads), ...rest];
}

const commandColumns = ['', 'MB', 'events', 'CPU', 'memory'];
const commandTitle = 'The command on large traces, with a heap of 512 MB: CPU time, peak memory';

function commandCells({ title, megabytes, events, cpuSeconds, maxRssMegabytes }) {
  return [
    `\`${title}\``,
    whole(megabytes),
    whole(events),
    `${number(cpuSeconds)} s`,
    `${whole(maxRssMegabytes)} MB`,
  ];
}

function verdictLine({ text, verdict, figure }) {
  return figure === undefined ? `${verdict}: ${text}` : `${verdict} (${figure}): ${text}`;
}

/** What all comparisons of a group are with, if it is a single case. */
function comparedWith(group, groups) {
  const titles = new Map(groups.flatMap(({ figures }) => figures.map(({ id, title }) => [id, title])));
  const others = new Set(group.figures.flatMap(({ against }) => titles.get(against) ?? []));
  return others.size === 1 ? `; compared with: ${[...others][0]}` : '';
}

/** @param {readonly string[][]} table the first row contains the column names */
export function markdownTable(table) {
  const widths = table[0].map((_, index) => Math.max(3, ...table.map((row) => row[index].length)));
  const line = (row) =>
    `| ${row.map((cell, index) => (index === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[index]))).join(' | ')} |`;
  const rule = widths.map((width, index) => (index === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [table[0], rule, ...table.slice(1)].map(line).join('\n');
}

/** @returns {[title: string, rows: readonly any[]][]} */
function tablesOf({ rows, commands }) {
  return [
    [readingTitle, [readingColumns, ...rows.map(readingCells)]],
    [commandTitle, [commandColumns, ...commands.map(commandCells)]],
  ];
}

function readingMarkdown(reading) {
  if (reading.reason !== undefined) return `**${readingTitle}**\n\nNot measured: ${reading.reason}`;
  return tablesOf(reading)
    .map(([title, rows]) => `**${title}**\n\n${markdownTable(rows)}`)
    .join('\n\n');
}

export function asMarkdown({ machine, groups, verdicts, reading }) {
  const shown = groups.filter(({ reason, figures }) => reason !== undefined || figures.length > 0);
  const blocks = shown.map((group) => {
    const { title, reason, figures } = group;
    return [
      `**${title}**${comparedWith(group, groups)}`,
      '',
      ...(reason === undefined ? [] : [`Not measured: ${reason}`, '']),
      ...(figures.length === 0 ? [] : [markdownTable(rowsOf(group))]),
    ].join('\n');
  });
  return [
    describe(machine),
    ...blocks,
    readingMarkdown(reading),
    [...verdicts, ...(reading.verdicts ?? [])].map((verdict) => `- ${verdictLine(verdict)}`).join('\n'),
  ].join('\n\n');
}

function describe({ node, kernel, cpu, cpus, peers, tracepointKernel, date }) {
  const versions = Object.entries({ Node: node, ...peers }).map(([name, version]) => `${name} ${version}`);
  return `${versions.join(', ')}, Linux ${kernel}, ${cpus} x ${cpu}; the tracepoint on ${tracepointKernel}; ${date}.`;
}

/** The rows of the README's table, by the ids of the cases: what costs, and what it is compared with. */
const COSTS = {
  'sites-event': ['A disabled event at one of 200 call sites', '`if (flag)`'],
  'null-event': ['An enabled event, to `/dev/null`', 'a C program, `write(2)` of the same bytes'],
  'file-event-in-activity': ["An event into a session's file", 'pino, asynchronous'],
  'file-activity': ["An activity, two events, into a session's file", 'an OpenTelemetry span, in batches'],
  'await-listening': ['An `await` on Node.js 20 while somebody records', 'without tracewright'],
};

/** @returns the README's table: five figures of the same run as docs/performance.md */
export function costsAsMarkdown({ groups }) {
  const figures = new Map(groups.flatMap((group) => group.figures.map((figure) => [figure.id, figure])));
  const rows = Object.entries(COSTS).map(([id, [title, peer]]) => {
    const figure = figures.get(id);
    if (figure === undefined)
      throw new Error(`The run has no figure for ${id}, which the README needs: measure everything.`);
    return [title, number(figure.median), `${peer}: ${number(figures.get(figure.against).median)}`];
  });
  return markdownTable([['', 'ns', 'compared with'], ...rows]);
}
