/** SQL statements as shown in events: without values, whatever they look like. */
import { describe, expect, it } from 'vitest';
import { type SqlDialect, sqlOperation, sqlText } from '../../lib/auto/sql-text.ts';

const told = (text: string, dialect: SqlDialect = 'mysql') => sqlText(text, dialect, false);

describe('SQL is shown', () => {
  it.each([
    ['SELECT * FROM users WHERE id = 7', 'SELECT * FROM users WHERE id = ?'],
    ["INSERT INTO t1 VALUES ('a', -1.5e3, 0xFF, NULL)", 'INSERT INTO t1 VALUES (?, -?, ?, NULL)'],
    ["SELECT 'it''s', 'a\\'b'", 'SELECT ??, ?'],
    ['SELECT "text", `name 1` FROM `t2`', 'SELECT ?, `name 1` FROM `t2`'],
    ["SELECT 'a\\\\', 'secret'", 'SELECT ?, ?'],
    ['SELECT a1, b_2 FROM t WHERE c = ? AND d = :name', 'SELECT a1, b_2 FROM t WHERE c = ? AND d = :name'],
    ["SELECT /* 'secret' */ 1 -- it's 7\n, 2 # 'x", 'SELECT  ? \n, ? '],
    ["SELECT 'cut off", 'SELECT ?'],
    ["SELECT 'cut off\\", 'SELECT ?'],
    ['SELECT "cut off', 'SELECT ?'],
    ['SELECT /* cut off', 'SELECT '],
    ["SELECT 'two\nlines'", 'SELECT ?'],
    ['', ''],
  ])('without values: %s', (text, expected) => {
    expect(told(text)).toBe(expected);
  });

  it.each([
    ['SELECT "Name" FROM t WHERE a = $1 AND b = 7', 'SELECT "Name" FROM t WHERE a = $1 AND b = ?'],
    ["SELECT 'C:\\', 'secret'", 'SELECT ?, ?'],
    ["SELECT E'it\\'s', e'x' FROM evil", 'SELECT ?, ? FROM evil'],
    ['SELECT $$it is$$, $tag$a $$ b$tag$, 1', 'SELECT ?, ?, ?'],
    ['SELECT $tag$cut off', 'SELECT ?'],
  ])('by the rules of PostgreSQL: %s', (text, expected) => {
    expect(told(text, 'postgresql')).toBe(expected);
  });

  it('with its values if they are wanted', () => {
    expect(sqlText('SELECT 7', 'mysql', true)).toBe('SELECT 7');
  });

  it('short enough for an event, without delay', () => {
    expect(told(`SELECT ${'x, '.repeat(5000)}`)).toHaveLength(2000);
    for (const text of [
      "'".repeat(1e6),
      '\\'.repeat(1e6),
      '/*'.repeat(1e6),
      '$a$b'.repeat(1e6),
      '((('.repeat(1e6),
    ]) {
      const start = process.cpuUsage();
      told(text);
      told(text, 'postgresql');
      sqlOperation(text);
      expect(process.cpuUsage(start).user).toBeLessThan(100_000);
    }
  });

  it('the same way, however many statements there are', () => {
    for (let number = 0; number < 1000; number++) expect(told(`SELECT ${number}`)).toBe('SELECT ?');
  });
});

describe('an operation', () => {
  it.each([
    ['select 1', 'SELECT'],
    ['  (SELECT 1) UNION (SELECT 2)', 'SELECT'],
    ['\nUpdate t SET a = 1', 'UPDATE'],
    ['{call p}', ''],
    ['', ''],
  ])('of %s is %s', (text, operation) => {
    expect(sqlOperation(text)).toBe(operation);
  });
});
