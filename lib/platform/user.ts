/** The user as whom a recorded command runs when root records: see native/user_functions.cc. */
import { systemErrorName } from '../base/system-code.ts';
import { linuxAddon } from './addon.ts';
import type { LinuxAddon, User } from './addon-functions.ts';

const MAX_ID = 0xffff_fffe;

/** @returns undefined if the system knows no user by that name or number */
export function userNamed(name: string): User | undefined {
  const addon = userAddon();
  return addon?.userEntry(name) ?? (idOf(name) === undefined ? undefined : addon?.userEntry(Number(name)));
}

/** The user who invoked sudo, if we are root; undefined if that was root, too. */
export function invokingUser(): User | undefined {
  if (process.geteuid?.() !== 0) return undefined;
  const uid = idOf(process.env.SUDO_UID);
  if (uid === undefined || uid === 0) return undefined;
  const known = userAddon()?.userEntry(uid);
  if (known !== undefined) return known;
  // For a user known only on another system, sudo's variables have to do.
  const gid = idOf(process.env.SUDO_GID) ?? uid;
  const { SUDO_USER: name = String(uid), HOME: home = '/' } = process.env;
  return { uid, gid, name, home, groups: Uint32Array.of(gid) };
}

/**
 * Calls the function with this thread's user changed, which a program started meanwhile inherits.
 *
 * @throws Error if this process may not do so
 */
export function asUser(user: User, call: () => void): void {
  const { uid, gid, groups, name } = user;
  const error = userAddon()?.callAsUser(uid, gid, groups, call) ?? 0;
  if (error === 0) return;
  throw new Error(`Only root can run a command as ${name} (${systemErrorName(error)}).`);
}

/** Changes the user of the whole process permanently. Needs root. */
export function becomeUser({ uid, gid, groups, name, home }: User): void {
  process.setgroups?.([...groups]);
  process.setgid?.(gid);
  process.setuid?.(uid);
  Object.assign(process.env, variablesOf({ name, home }));
}

/** Returns the variables as sudo and su set them. */
export function variablesOf({ name, home }: Pick<User, 'name' | 'home'>): NodeJS.ProcessEnv {
  return { HOME: home, USER: name, LOGNAME: name };
}

function idOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,10}$/.test(text) && Number(text) <= MAX_ID ? Number(text) : undefined;
}

function userAddon(): LinuxAddon | undefined {
  const addon = linuxAddon();
  return 'reason' in addon ? undefined : addon;
}
