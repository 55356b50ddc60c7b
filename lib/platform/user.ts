/** The user that a recorded command runs as, where root records: see native/user_functions.cc. */
import { type Addon, loadAddon } from './addon.ts';
import { systemErrorName } from './recorder-reasons.ts';

export interface User {
  readonly uid: number;
  readonly gid: number;
  readonly name: string;
  readonly home: string;
  /** All of them, the first one too. */
  readonly groups: Uint32Array;
}

interface UserAddon extends Addon {
  userEntry(name: string | number): User | undefined;
  callAsUser(uid: number, gid: number, groups: Uint32Array, call: () => void): number;
}

const MAX_ID = 0xffff_fffe;

/** @returns undefined where the system knows none of that name, or of that number */
export function userNamed(name: string): User | undefined {
  const addon = userAddon();
  return addon?.userEntry(name) ?? (idOf(name) === undefined ? undefined : addon?.userEntry(Number(name)));
}

/** Who has run us by sudo, where we are root; nothing where that is root, too. */
export function invokingUser(): User | undefined {
  if (process.geteuid?.() !== 0) return undefined;
  const uid = idOf(process.env.SUDO_UID);
  if (uid === undefined || uid === 0) return undefined;
  const known = userAddon()?.userEntry(uid);
  if (known !== undefined) return known;
  // Of a user that only another system knows, sudo has told enough.
  const gid = idOf(process.env.SUDO_GID) ?? uid;
  const { SUDO_USER: name = String(uid), HOME: home = '/' } = process.env;
  return { uid, gid, name, home, groups: Uint32Array.of(gid) };
}

/**
 * Calls it with this thread being the user's, which a program has that is started meanwhile.
 *
 * @throws Error where this process may not do so
 */
export function asUser(user: User, call: () => void): void {
  const { uid, gid, groups, name } = user;
  const error = userAddon()?.callAsUser(uid, gid, groups, call) ?? 0;
  if (error === 0) return;
  throw new Error(`Only root can run a command as ${name} (${systemErrorName(error)}).`);
}

/** Makes the whole process the user's, for good. To be called by root. */
export function becomeUser({ uid, gid, groups, name, home }: User): void {
  process.setgroups?.([...groups]);
  process.setgid?.(gid);
  process.setuid?.(uid);
  Object.assign(process.env, variablesOf({ name, home }));
}

/** As sudo and su set them. */
export function variablesOf({ name, home }: Pick<User, 'name' | 'home'>): NodeJS.ProcessEnv {
  return { HOME: home, USER: name, LOGNAME: name };
}

function idOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,10}$/.test(text) && Number(text) <= MAX_ID ? Number(text) : undefined;
}

/** Linux only. */
function userAddon(): UserAddon | undefined {
  const addon = loadAddon();
  return 'userEntry' in addon ? (addon as UserAddon) : undefined;
}
