/** The user that a command runs as: under sudo, the user who invoked it, or one named explicitly. */

import type { User } from '../../platform/addon-functions.ts';
import { invokingUser, userNamed } from '../../platform/user.ts';
import { UsageError } from '../parse-options.ts';

/**
 * @param name the one given, if any
 * @returns undefined for the current user
 * @throws UsageError
 */
export function commandUser(name: string | undefined): User | undefined {
  if (name === undefined) return invokingUser();
  if (process.geteuid?.() !== 0) {
    throw new UsageError('--user needs root: run tracewright with sudo, or as that user.');
  }
  const user = userNamed(name);
  if (user === undefined) throw new UsageError(`There is no user "${name}".`);
  return user;
}

/** The user whose programs a recorder accepts. */
export function programsUser(
  command: readonly string[],
  user: User | undefined,
): { readonly uid: number; readonly gid: number } | undefined {
  if (command.length === 0) return undefined;
  return user ?? { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 };
}
