/** Asks for statements on the terminal, or takes them from standard input. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { writeOutput } from '../../base/output-file.ts';
import { thrownMessage } from '../../base/value-text.ts';
import type { Database } from '../../query/database.ts';
import { identifier, literal } from '../../query/sql-text.ts';
import { say, warn } from '../messages.ts';
import type { Output } from '../output.ts';
import { ANSWER_FORMATS, type AnswerFormat, printAnswer } from './query-output.ts';

const HELP = `Statements are SQL and end with a semicolon. Others are:
  .tables         the tables, views and macros
  .schema [NAME]  the columns of all tables, or of this table or view
  .mode FORMAT    ${ANSWER_FORMATS.join(', ')}
  .quit           or Ctrl-D`;
const HISTORY_SIZE = 1000;
/** What a statement may contain that ends with a semicolon itself; without an end, the rest of the text. */
const QUOTED = /'[^']*(?:'|$)|"[^"]*(?:"|$)|--.*|\/\*[\s\S]*?(?:\*\/|$)/g;
const UNCLOSED = /^(?:'[^']*|"[^"]*|\/\*(?:(?!\*\/)[\s\S])*)$/;

/** Answers statements and commands with a dot. */
export class QuerySession {
  readonly database: Database;
  #format: AnswerFormat;
  readonly #output: Output;

  constructor(database: Database, format: AnswerFormat, output: Output) {
    this.database = database;
    this.#format = format;
    this.#output = output;
  }

  /** @returns whether to go on */
  async answer(text: string): Promise<boolean> {
    const [command = '', ...rest] = text.trim().split(/\s+/);
    const argument = rest.join(' ').replace(/;$/, '');
    if (!command.startsWith('.')) {
      await this.#run(text);
      return true;
    }
    switch (command) {
      case '.quit':
      case '.exit':
        return false;
      case '.help':
        say(HELP);
        return true;
      case '.tables':
        await this.#run(TABLES);
        return true;
      case '.schema':
        await this.#run(argument === '' ? COLUMNS : `DESCRIBE ${identifier(unquoted(argument))}`);
        return true;
      case '.mode':
        this.#format = answerFormat(argument);
        return true;
      default:
        throw new Error(`There is no command ${command}. ${HELP}`);
    }
  }

  async #run(sql: string): Promise<void> {
    for await (const result of this.database.statements(sql)) {
      const count = await printAnswer(result, this.#format, this.#output);
      if (count === 0 && this.#format !== 'json' && this.#format !== 'csv') say('No rows.');
    }
  }
}

const TABLES = `SELECT name, kind FROM (
  SELECT table_name AS name, CASE WHEN contains(table_name, '/') THEN 'events' ELSE 'table' END AS kind
    FROM duckdb_columns() WHERE schema_name = 'main' AND NOT internal
  UNION SELECT function_name || '(' || array_to_string(parameters, ', ') || ')', 'macro'
    FROM duckdb_functions() WHERE schema_name = 'main' AND NOT internal AND function_type = 'table_macro'
) ORDER BY kind = 'macro', kind = 'events', name`;

const COLUMNS = `SELECT table_name, column_name, data_type FROM duckdb_columns()
  WHERE schema_name = 'main' AND NOT internal AND NOT contains(table_name, ${literal('/')})
  ORDER BY table_name, column_index`;

function unquoted(name: string): string {
  return /^"(?:[^"]|"")*"$/.test(name) ? name.slice(1, -1).replaceAll('""', '"') : name;
}

function answerFormat(text: string): AnswerFormat {
  const format = ANSWER_FORMATS.find((known) => known === text);
  if (format === undefined)
    throw new Error(`.mode takes one of ${ANSWER_FORMATS.join(', ')}, not "${text}".`);
  return format;
}

/** The statements of standard input, up to the first that fails. */
export async function answerInput(session: QuerySession): Promise<void> {
  const collected = new StatementCollector();
  for await (const line of createInterface({ input: process.stdin })) {
    const statement = collected.add(line);
    if (statement !== undefined && !(await session.answer(statement))) return;
  }
  const rest = collected.rest;
  if (rest.trim() !== '') await session.answer(rest);
}

/** Answers until .quit or the end of the input. */
export async function prompt(session: QuerySession): Promise<void> {
  say('SQL, to be ended with a semicolon; .tables lists the tables, .help says more.');
  const collected = new StatementCollector();
  const names = await namesOf(session.database);
  const history = new History();
  const reader = createInterface({
    input: process.stdin,
    output: process.stdout,
    historySize: HISTORY_SIZE,
    removeHistoryDuplicates: true,
    history: [...history.lines],
    completer: (line: string) => completed(line, names),
  });
  reader.on('history', (lines: readonly string[]) => history.keep(lines));
  const ended = new Promise<void>((resolve) => reader.once('close', resolve));
  const ask = () => {
    reader.setPrompt(collected.rest === '' ? 'sql> ' : '...> ');
    reader.prompt();
  };
  reader.on('SIGINT', () => {
    if (session.database.isRunning) return session.database.interrupt();
    collected.clear();
    say('');
    ask();
  });
  answerLines(reader, session, collected, ask);
  ask();
  await ended;
  say('');
}

/** Answers lines one after another: more may come while a statement runs. */
function answerLines(
  reader: Interface,
  session: QuerySession,
  collected: StatementCollector,
  ask: () => void,
): void {
  let earlier = Promise.resolve();
  reader.on('line', (line) => {
    earlier = earlier.then(async () => {
      const statement = collected.add(line);
      const goesOn = statement === undefined || (await answered(session, statement));
      if (goesOn) ask();
      else reader.close();
    });
  });
}

async function answered(session: QuerySession, statement: string): Promise<boolean> {
  try {
    return await session.answer(statement);
  } catch (error) {
    say(thrownMessage(error));
    return true;
  }
}

/** Lines become statements. */
class StatementCollector {
  rest = '';

  /** @returns a statement that is complete */
  add(line: string): string | undefined {
    if (this.rest === '' && line.trim() === '') return undefined;
    this.rest += `${line}\n`;
    const isCommand = this.rest.startsWith('.');
    if (!isCommand && !isComplete(this.rest)) return undefined;
    const statement = this.rest;
    this.clear();
    return statement;
  }

  clear(): void {
    this.rest = '';
  }
}

function isComplete(text: string): boolean {
  const bare = text.replace(QUOTED, (part) => (UNCLOSED.test(part) ? part : '')).trimEnd();
  return bare.endsWith(';') && !/['"]/.test(bare);
}

async function namesOf(database: Database): Promise<string[]> {
  const rows =
    await database.query(`SELECT DISTINCT column_name AS name FROM duckdb_columns() WHERE NOT internal
    UNION SELECT DISTINCT table_name FROM duckdb_columns() WHERE NOT internal`);
  const names = rows.map(({ name }) => String(name));
  return names.map((name) => (/^[a-z_]\w*$/.test(name) ? name : identifier(name)));
}

/** What Tab offers for the last word. */
function completed(line: string, names: readonly string[]): [string[], string] {
  const [word = ''] = /"[^"]*$|(?<![.\w])[.\w]*$/.exec(line) ?? [];
  const all = word.startsWith('.') ? ['.tables', '.schema', '.mode', '.quit', '.help'] : names;
  return [word === '' ? [] : all.filter((name) => name.startsWith(word)), word];
}

/** Keeps the lines in a file of this user's home, the newest line first. */
class History {
  readonly #path = join(homedir(), '.tracewright_history');
  readonly lines: readonly string[] = this.#read();

  keep(lines: readonly string[]): void {
    try {
      writeOutput(this.#path, `${lines.join('\n')}\n`);
    } catch (error) {
      warn(`The history is not kept: ${thrownMessage(error)}`);
    }
  }

  #read(): readonly string[] {
    try {
      return readFileSync(this.#path, 'utf8').split('\n').filter(Boolean).slice(0, HISTORY_SIZE);
    } catch {
      return [];
    }
  }
}
