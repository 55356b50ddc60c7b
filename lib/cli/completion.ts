/** `tracewright completion SHELL`: lets a shell complete commands, options and file names. */

import { CommandLine } from './command-line.ts';
import { COMMANDS } from './commands.ts';
import { printHelp } from './messages.ts';
import { type OptionRow, UsageError } from './parse-options.ts';

export const commandLine = new CommandLine('completion', 'SHELL', [
  'Prints a script for SHELL (bash, zsh or fish) that completes commands, options, their values and file names:',
  [
    ['bash', 'in ~/.bashrc: source <(tracewright completion bash)'],
    ['zsh', 'in ~/.zshrc, after compinit: source <(tracewright completion zsh)'],
    ['fish', 'in ~/.config/fish/config.fish: tracewright completion fish | source'],
  ],
]);

type CompletedOption = readonly [name: string, row: OptionRow];

interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly CompletedOption[];
}

const SCRIPTS: Readonly<Record<string, (commands: readonly CompletedCommand[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** @throws UsageError */
export async function run(args: readonly string[]): Promise<void> {
  const given = commandLine.file(args);
  if (given === undefined) return;
  const script = Object.hasOwn(SCRIPTS, given.file) ? SCRIPTS[given.file] : undefined;
  if (script === undefined) {
    throw new UsageError(`completion takes ${Object.keys(SCRIPTS).join(', ')}, not "${given.file}".`);
  }
  printHelp(script(await completedCommands()));
}

async function completedCommands(): Promise<CompletedCommand[]> {
  const help: OptionRow = { short: 'h', help: 'says more' };
  const commands = Object.entries(COMMANDS).map(async ([name, { summary, load }]) => {
    const { commandLine } = await load();
    return { name, summary, options: Object.entries({ ...commandLine.rows, help }) };
  });
  const shells = 'prints a completion script for bash, zsh or fish';
  return [
    ...(await Promise.all(commands)),
    { name: 'completion', summary: shells, options: [] },
    { name: 'help', summary: 'shows help for a command', options: [] },
  ];
}

/** The beginning of an option's help. */
function summaryOf({ help }: OptionRow): string {
  const [summary = ''] = help.split(/[:;,.]/, 1);
  return summary.replace(/\s+/g, ' ');
}

/** What ends with a value of its own, by what a shell completes there: words, or `folders`. */
function completedValues(commands: readonly CompletedCommand[]): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const { name, options } of commands) {
    for (const [option, { short, value: { completes } = {} }] of options) {
      if (completes === undefined) continue;
      const what = completes === 'folders' ? completes : completes.join(' ');
      const names = [`--${option}`, ...(short === undefined ? [] : [`-${short}`])];
      values.set(what, [...(values.get(what) ?? []), ...names.map((each) => `'${name} ${each}'`)]);
    }
  }
  return values;
}

function bashScript(commands: readonly CompletedCommand[]): string {
  const words = (options: readonly CompletedOption[]) => options.map(([long]) => `--${long}`).join(' ');
  const cases = commands.map(({ name, options }) => `    ${name}) words='${words(options)}' ;;`);
  const names = commands.map(({ name }) => name).join(' ');
  const values = Array.from(completedValues(commands), ([what, where]) => {
    const source = what === 'folders' ? '-d' : `-W '${what}'`;
    return `    ${where.join('|')}) COMPREPLY=($(compgen ${source} -- "$current")); return ;;`;
  });
  return `# Completes tracewright's command line in bash.
_tracewright() {
  local current=\${COMP_WORDS[COMP_CWORD]} command=\${COMP_WORDS[1]} words= i
  COMPREPLY=()
  # After -- comes another command, with its own options.
  for ((i = 2; i < COMP_CWORD; i++)); do
    [[ \${COMP_WORDS[i]} == -- ]] && return
  done
  case "$command \${COMP_WORDS[COMP_CWORD - 1]}" in
${values.join('\n')}
  esac
  case $command in
${cases.join('\n')}
  esac
  if ((COMP_CWORD == 1)) || [[ $command == help ]]; then
    words='${names} --help --version'
  elif [[ $command == completion ]]; then
    words='${Object.keys(SCRIPTS).join(' ')}'
  elif [[ $current != -* ]]; then
    return
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -o bashdefault -F _tracewright tracewright
`;
}

/** Both zsh and fish read this text in single quotes. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "'\\''")}'`;
}

function zshScript(commands: readonly CompletedCommand[]): string {
  const described = (name: string, summary: string) => quoted(`${name}:${summary}`);
  const names = commands.map(({ name, summary }) => `    ${described(name, summary)}`);
  const cases = commands
    .filter(({ options }) => options.length > 0)
    .map(({ name, options }) => {
      const words = options.map(([long, row]) => `      ${described(`--${long}`, summaryOf(row))}`);
      return `    ${name}) options=(\n${words.join('\n')}\n    ) ;;`;
    });
  const values = Array.from(completedValues(commands), ([what, where]) => {
    const source = what === 'folders' ? '_files -/' : `compadd -- ${what}`;
    return `    ${where.join('|')}) ${source}; return ;;`;
  });
  return `#compdef tracewright
# Completes tracewright's command line in zsh.
_tracewright() {
  local -a commands options
  commands=(
${names.join('\n')}
  )
  if (( CURRENT == 2 )) || [[ $words[2] == help ]]; then
    _describe command commands
    return
  fi
  # After -- comes another command, with its own options.
  if (( \${words[(I)--]} > 0 && \${words[(I)--]} < CURRENT )); then
    _default
    return
  fi
  case "$words[2] $words[CURRENT-1]" in
${values.join('\n')}
  esac
  case $words[2] in
${cases.join('\n')}
    completion) _values shell ${Object.keys(SCRIPTS).join(' ')}; return ;;
  esac
  if [[ $PREFIX == -* ]]; then
    _describe option options
  else
    _files
  fi
}
if [[ $funcstack[1] == _tracewright ]]; then
  _tracewright "$@"
else
  compdef _tracewright tracewright
fi
`;
}

function fishValue({ value }: OptionRow): string[] {
  if (value === undefined) return [];
  if (value.completes === undefined) return ['-r'];
  const { completes } = value;
  return ['-x -a', quoted(completes === 'folders' ? '(__fish_complete_directories)' : completes.join(' '))];
}

function fishScript(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ name, summary, options }) => [
    `complete -c tracewright -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`,
    ...options.map(([long, row]) =>
      [
        `complete -c tracewright -n '__fish_seen_subcommand_from ${name}'`,
        `-l ${long}`,
        ...(row.short === undefined ? [] : [`-s ${row.short}`]),
        ...fishValue(row),
        `-d ${quoted(summaryOf(row))}`,
      ].join(' '),
    ),
  ]);
  const names = commands.map(({ name }) => name).join(' ');
  return `# Completes tracewright's command line in fish.
${lines.join('\n')}
complete -c tracewright -n '__fish_seen_subcommand_from help' -f -a ${quoted(names)}
complete -c tracewright -n '__fish_seen_subcommand_from completion' -f -a ${quoted(Object.keys(SCRIPTS).join(' '))}
complete -c tracewright -n __fish_use_subcommand -l version -d 'prints the version'
`;
}
