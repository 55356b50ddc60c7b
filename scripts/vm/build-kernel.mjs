// `npm run vm:build -- [uml] [qemu]`: builds kernels with CONFIG_USER_EVENTS from Debian's source packages and keeps
// them in the user's cache folder. Both by default; about five minutes each on two cores. Requires Debian (or its
// keyring) and the packages that install-tools.sh --build installs; root is not needed.
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { report, run, ToolError } from '../lib/run.mjs';
import { builtKernelsFolder, cacheFolder, imageNames } from './kernels.mjs';
import { patchUserModeLinux } from './patch-um.mjs';

const recipes = {
  // User-mode Linux needs 6.16 or newer: its seccomp mode. 6.12 aborts on processors with AVX-512
  uml: {
    package: newestSourcePackage,
    arch: 'um',
    patch: patchUserModeLinux,
    target: 'linux',
    image: 'linux',
  },
  qemu: {
    package: () => 'linux-source-6.12',
    arch: 'x86_64',
    patch: () => {},
    target: 'bzImage',
    image: 'arch/x86/boot/bzImage',
  },
};

const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
const workFolder = join(cacheFolder(), 'kernel-build');
const aptFolder = join(workFolder, 'apt');

/** The mirror of this machine's own packages, which may be the only one it can reach. */
function debianMirror() {
  const sources = '/etc/apt/sources.list.d/debian.sources';
  const uri = existsSync(sources) && /^URIs:\s*(\S+)/m.exec(readFileSync(sources, 'utf8'))?.[1];
  return uri || 'http://deb.debian.org/debian';
}

/** apt with its own lists and caches: the sources come from a newer suite than the system's. */
function apt(program, ...args) {
  const settings = {
    'Dir::Etc::SourceList': join(aptFolder, 'sources.list'),
    'Dir::Etc::SourceParts': '-',
    'Dir::State::Lists': join(aptFolder, 'lists'),
    'Dir::Cache': join(aptFolder, 'cache'),
    'APT::Sandbox::User': 'root',
    'Acquire::Languages': 'none',
    'Acquire::Retries': '3',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  return run(program, ['-qq', ...options, ...args], { cwd: workFolder });
}

function prepareApt() {
  if (!existsSync(keyring)) {
    throw new ToolError(
      `${keyring} is missing, and without it Debian's packages cannot be trusted: install debian-archive-keyring.`,
      '',
    );
  }
  mkdirSync(join(aptFolder, 'lists/partial'), { recursive: true });
  mkdirSync(join(aptFolder, 'cache/archives/partial'), { recursive: true });
  const lines = ['trixie', 'trixie-backports'].map(
    (suite) => `deb [signed-by=${keyring}] ${debianMirror()} ${suite} main\n`,
  );
  writeFileSync(join(aptFolder, 'sources.list'), lines.join(''));
  apt('apt-get', 'update');
}

/** The package that the newest linux-source refers to, such as linux-source-7.3. */
function newestSourcePackage() {
  const versions = [...apt('apt-cache', 'show', 'linux-source').matchAll(/^Depends: (linux-source-[\d.]+)/gm)]
    .map((match) => match[1])
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  const newest = versions.at(-1);
  if (!newest) throw new ToolError('No package linux-source-* is in trixie or trixie-backports.', '');
  return newest;
}

/** Downloads and unpacks a source package, and returns the path of the tree. */
function unpackSource(packageName) {
  apt('apt-get', 'download', packageName);
  const archive = readdirSync(workFolder).find((name) => name.startsWith(`${packageName}_`)) ?? packageName;
  const unpacked = join(workFolder, 'package');
  run('dpkg', ['-x', join(workFolder, archive), unpacked]);
  run('tar', ['-C', workFolder, '-xf', join(unpacked, `usr/src/${packageName}.tar.xz`)]);
  return join(workFolder, packageName);
}

/** Warns about options of the fragments that this kernel does not have; stops if an essential one is missing. */
function checkConfig(fragments, config) {
  const set = new Set(config.split('\n'));
  const missing = fragments.split('\n').filter((line) => line.startsWith('CONFIG_') && !set.has(line));
  for (const line of missing) console.log(`  not in this kernel: ${line}`);
  const vital = missing.filter((line) => /^CONFIG_(USER_EVENTS|PERF_EVENTS)=/.test(line));
  if (vital.length) throw new ToolError(`The kernel configuration lost ${vital.join(' and ')}.`, '');
}

function compile(tree, { arch, target }) {
  const objects = join(workFolder, `objects-${arch}`);
  mkdirSync(objects, { recursive: true });
  const make = (...args) => run('make', ['-s', '-C', tree, `O=${objects}`, `ARCH=${arch}`, ...args]);
  const fragments = ['common.config', `${arch}.config`]
    .map((name) => readFileSync(join(import.meta.dirname, name), 'utf8'))
    .join('\n');
  const config = join(objects, '.config');
  make('tinyconfig');
  appendFileSync(config, fragments); // the last value of an option counts
  make('olddefconfig');
  checkConfig(fragments, readFileSync(config, 'utf8'));
  make(`-j${availableParallelism()}`, target);
  return objects;
}

function build(kind) {
  const recipe = recipes[kind];
  rmSync(workFolder, { recursive: true, force: true });
  mkdirSync(workFolder, { recursive: true });
  prepareApt();
  const packageName = recipe.package();
  console.log(`${kind}: downloading and unpacking ${packageName}`);
  const tree = unpackSource(packageName);
  recipe.patch(tree);
  console.log(`${kind}: compiling, which takes some minutes`);
  const objects = compile(tree, recipe);

  const image = join(builtKernelsFolder(), imageNames[kind]);
  mkdirSync(builtKernelsFolder(), { recursive: true });
  copyFileSync(join(objects, recipe.image), `${image}.new`);
  chmodSync(`${image}.new`, 0o755);
  renameSync(`${image}.new`, image);
  rmSync(workFolder, { recursive: true });
  console.log(`${kind}: ${image}`);
}

try {
  const { positionals } = parseArgs({ allowPositionals: true });
  const unknown = positionals.find((kind) => !Object.hasOwn(recipes, kind));
  if (unknown) throw new ToolError(`There is no kernel "${unknown}": uml and qemu can be built.`, '');
  for (const kind of positionals.length ? positionals : Object.keys(recipes)) build(kind);
} catch (error) {
  report(error);
}
