/** The user that a command of ours runs as: under sudo the one who ran that, who may be named, too. */
import { invokingUser, type User, userNamed } from '../platform/user.ts';
import { UsageError } from './usage-error.ts';

/**
 * @param name as it was given, if it was
 * @returns undefined where it is our own user
 * @throws UsageError
 */
export function commandUser(name: string | undefined): User | undefined {
  if (name === undefined) return invokingUser();
  if (process.geteuid?.() !== 0) {
    throw new UsageError('--user is for root: run tracewright with sudo, or as that user.');
  }
  const user = userNamed(name);
  if (user === undefined) throw new UsageError(`There is no user "${name}".`);
  return user;
}

/** Whose programs a recorder is to answer. */
export function programsUser(
  command: readonly string[],
  user: User | undefined,
): { readonly uid: number; readonly gid: number } | undefined {
  if (command.length === 0) return undefined;
  return user ?? { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 };
}
