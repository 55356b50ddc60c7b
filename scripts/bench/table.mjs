// Shows a report, as text for a terminal and as Markdown.

const columns = ['', 'ns', 'best', 'more ns', 'ratio'];

const number = (value) => (value === undefined ? '' : value.toFixed(Math.abs(value) < 100 ? 1 : 0));

function cells({ title, median, best, difference, ratio }) {
  return [
    title,
    number(median),
    number(best),
    number(difference),
    ratio === undefined ? '' : `${ratio.toFixed(2)}x`,
  ];
}

function verdictLine({ text, verdict, figure }) {
  return figure === undefined ? `${verdict}: ${text}` : `${verdict} (${figure}): ${text}`;
}

/** What all comparisons of a group are with, if it is one thing. */
function comparedWith(group, groups) {
  const titles = new Map(groups.flatMap(({ figures }) => figures.map(({ id, title }) => [id, title])));
  const others = new Set(group.figures.flatMap(({ against }) => titles.get(against) ?? []));
  return others.size === 1 ? `; compared with: ${[...others][0]}` : '';
}

export function asText({ machine, groups, verdicts }) {
  const rows = groups.flatMap((group) => group.figures.map(cells));
  const widths = columns.map((name, index) => Math.max(name.length, ...rows.map((row) => row[index].length)));
  const line = (row) =>
    row
      .map((cell, index) => (index === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[index])))
      .join('  ')
      .trimEnd();
  const blocks = groups.map((group) => {
    const { title, reason, figures } = group;
    return [
      `${title}${comparedWith(group, groups)}`,
      ...(reason === undefined ? [] : [`  not measured: ${reason}`]),
      ...(figures.length === 0 ? [] : [`  ${line(columns)}`]),
      ...figures.map((figure) => `  ${line(cells(figure))}`),
    ].join('\n');
  });
  return [describe(machine), ...blocks, verdicts.map(verdictLine).join('\n')].join('\n\n');
}

export function asMarkdown({ machine, groups, verdicts }) {
  const row = (entries) => `| ${entries.join(' | ')} |`;
  const blocks = groups.map((group) => {
    const { title, reason, figures } = group;
    return [
      `**${title}**${comparedWith(group, groups)}`,
      '',
      ...(reason === undefined ? [] : [`Not measured: ${reason}`, '']),
      ...(figures.length === 0 ? [] : [row(columns), '|---|---:|---:|---:|---:|']),
      ...figures.map((figure) => row(cells(figure))),
    ].join('\n');
  });
  return [
    describe(machine),
    ...blocks,
    verdicts.map((verdict) => `- ${verdictLine(verdict)}`).join('\n'),
  ].join('\n\n');
}

function describe({ node, kernel, cpu, cpus, opentelemetry, tracepointKernel, date }) {
  const peer = opentelemetry === undefined ? '' : `, OpenTelemetry SDK ${opentelemetry}`;
  return `Node ${node}${peer}, Linux ${kernel}, ${cpus} x ${cpu}; the tracepoint on ${tracepointKernel}; ${date}.`;
}
