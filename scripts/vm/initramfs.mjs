// Creates the initramfs that QEMU's kernel starts from: busybox and init, in the "newc" cpio format of the kernel's
// documentation (driver-api/early-userspace/buffer-format).
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { cacheFolder } from './kernels.mjs';

const directory = 0o040755;
const executable = 0o100755;

function pad4(bytes) {
  return Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)]);
}

/** One archive member: 13 header fields of 8 hexadecimal digits, the name with its NUL, the content. */
function member(inode, name, mode, content = Buffer.alloc(0)) {
  const links = mode === directory ? 2 : 1;
  const [uid, gid, time, major, minor, rawMajor, rawMinor, checksum] = [0, 0, 0, 0, 0, 0, 0, 0];
  const fields = [
    [inode, mode, uid, gid, links, time, content.length],
    [major, minor, rawMajor, rawMinor, name.length + 1, checksum],
  ].flat();
  const header = `070701${fields.map((field) => field.toString(16).padStart(8, '0')).join('')}${name}\0`;
  return Buffer.concat([pad4(Buffer.from(header, 'latin1')), pad4(content)]);
}

/**
 * The path of a gzipped initramfs with these two programs, created unless an earlier run has created the same.
 * @param {string} busyboxPath a statically linked busybox
 * @param {string} initPath
 */
export function initramfs(busyboxPath, initPath) {
  const busybox = readFileSync(busyboxPath);
  const init = readFileSync(initPath);
  const digest = createHash('sha256').update(busybox).update(init).digest('hex').slice(0, 16);
  const path = join(cacheFolder(), `initramfs-${digest}.gz`);
  if (existsSync(path)) return path;

  const folders = ['bin', 'dev', 'mnt', 'proc'].map((name, index) => member(index + 1, name, directory));
  const archive = Buffer.concat([
    ...folders,
    member(5, 'bin/busybox', executable, busybox),
    member(6, 'init', executable, init),
    member(0, 'TRAILER!!!', 0),
  ]);
  mkdirSync(cacheFolder(), { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, gzipSync(archive, { level: 1 }));
  renameSync(unfinished, path);
  return path;
}
