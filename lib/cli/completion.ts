/** `tracewright completion SHELL`: lets a shell complete commands, options and file names. */
import { COMMANDS } from './commands.ts';
import { fileArguments } from './file-arguments.ts';
import { printHelp } from './messages.ts';
import { UsageError } from './parse-options.ts';

export const COMPLETION_USAGE = `Usage: tracewright completion SHELL

Prints a script for SHELL (bash, zsh or fish) that completes commands, options and file names:

  bash   source <(tracewright completion bash)                   in ~/.bashrc
  zsh    source <(tracewright completion zsh)                    in ~/.zshrc, after compinit
  fish   tracewright completion fish | source                    in ~/.config/fish/config.fish
`;

export interface CompletedOption {
  /** The name has no dashes. */
  readonly long: string;
  readonly short: string | undefined;
  readonly takesValue: boolean;
  /** The beginning of its help text. */
  readonly summary: string;
}

export interface CompletedCommand {
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
export async function completionCommand(args: readonly string[]): Promise<void> {
  const given = fileArguments('completion', COMPLETION_USAGE, args, {});
  if (given === undefined) return;
  const script = Object.hasOwn(SCRIPTS, given.file) ? SCRIPTS[given.file] : undefined;
  if (script === undefined) {
    throw new UsageError(`completion takes ${Object.keys(SCRIPTS).join(', ')}, not "${given.file}".`);
  }
  printHelp(script(await completedCommands()));
}

export async function completedCommands(): Promise<CompletedCommand[]> {
  const commands = Object.entries(COMMANDS).map(async ([name, { summary, load }]) => {
    const { usage } = await load();
    return { name, summary, options: optionsOf(usage) };
  });
  const shells = 'prints a completion script for bash, zsh or fish';
  return [
    ...(await Promise.all(commands)),
    { name: 'completion', summary: shells, options: [] },
    { name: 'help', summary: 'shows help for a command', options: [] },
  ];
}

/**
 * A line of help: `  -o, --output OUT  the file`, `  --from, --to T  only`; the description may be on the next line.
 */
const OPTION_LINE =
  /^ {2}(?=-)(?:-(?<short>\w), )?(?<names>--[\w-]+(?:, --[\w-]+)*)(?: (?<value>[^\sa-z]+))?(?:\s+(?<text>\S.*))?$/;

/** The options in a command's help. */
function optionsOf(usage: string): CompletedOption[] {
  const lines = usage.split('\n');
  const told = lines.flatMap((line, index): CompletedOption[] => {
    const {
      short,
      names,
      value,
      text = lines[index + 1]?.trim() ?? '',
    } = OPTION_LINE.exec(line)?.groups ?? {};
    if (names === undefined) return [];
    const [summary = ''] = text.split(/[:;,.]/, 1);
    return names
      .split(', ')
      .map((name) => ({ long: name.slice(2), short, takesValue: value !== undefined, summary }));
  });
  return [...told, { long: 'help', short: 'h', takesValue: false, summary: 'says more' }];
}

function bashScript(commands: readonly CompletedCommand[]): string {
  const words = (options: readonly CompletedOption[]) => options.map(({ long }) => `--${long}`).join(' ');
  const cases = commands.map(({ name, options }) => `    ${name}) words='${words(options)}' ;;`);
  const names = commands.map(({ name }) => name).join(' ');
  return `# Completes tracewright's command line in bash.
_tracewright() {
  local current=\${COMP_WORDS[COMP_CWORD]} command=\${COMP_WORDS[1]} words= i
  COMPREPLY=()
  # After -- comes another command, with its own options.
  for ((i = 2; i < COMP_CWORD; i++)); do
    [[ \${COMP_WORDS[i]} == -- ]] && return
  done
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
      const words = options.map(({ long, summary }) => `      ${described(`--${long}`, summary)}`);
      return `    ${name}) options=(\n${words.join('\n')}\n    ) ;;`;
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

function fishScript(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ name, summary, options }) => [
    `complete -c tracewright -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`,
    ...options.map(({ long, short, takesValue, summary }) =>
      [
        `complete -c tracewright -n '__fish_seen_subcommand_from ${name}'`,
        `-l ${long}`,
        ...(short === undefined ? [] : [`-s ${short}`]),
        ...(takesValue ? ['-r'] : []),
        `-d ${quoted(summary)}`,
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
