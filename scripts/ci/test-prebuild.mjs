// `node test-prebuild.mjs [--no-compiler] PACKAGE.tgz`: installs the packed package into an empty folder, as users do,
// and runs the first example of its README. Nothing may be built: the addon must come from prebuilds/. With
// --no-compiler, it also fails if a compiler is installed. Requires only node and npm.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';

const compilers = ['c++', 'g++', 'clang++', 'cc', 'gcc', 'clang', 'make', 'python3'];
/** The addon's name for each platform. */
const addonPlatforms = { linux: 'user_events', win32: 'etw' };
const exampleSeconds = 60;

function expect(isSo, sentence) {
  if (!isSo) throw new Error(sentence);
}

function installedCompilers() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return compilers.filter((program) => folders.some((folder) => existsSync(join(folder, program))));
}

function install(folder, tarball) {
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  // On Windows, npm is a batch file, which needs a shell, and a shell needs quotes
  const shell = process.platform === 'win32';
  const file = shell ? `"${tarball}"` : tarball;
  execFileSync('npm', ['install', '--no-audit', '--no-fund', file], {
    cwd: folder,
    shell,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

/** The package contains the prebuilt addon, and it loads. */
function checkAddon(folder) {
  const installed = join(folder, 'node_modules/tracewright');
  for (const made of ['build', 'binding.gyp']) {
    expect(
      !existsSync(join(installed, made)),
      `The installed package has ${made}: something would have been built.`,
    );
  }
  const { addon, platform } = loadPrebuilt(
    join(installed, 'prebuilds', `${process.platform}-${process.arch}`),
  );
  const expected = addonPlatforms[process.platform] ?? 'none';
  expect(platform === expected, `The addon's platform is "${platform}", not "${expected}".`);
  console.log(`${addon}: ${platform}`);
}

/** The first of the platform's addons that its dynamic linker accepts: there is one for each C library. */
function loadPrebuilt(folder) {
  const problems = [];
  for (const addon of readdirSync(folder).map((name) => join(folder, name))) {
    const module = { exports: {} };
    try {
      process.dlopen(module, addon);
      return { addon, platform: module.exports.platform };
    } catch (error) {
      problems.push(error.message);
    }
  }
  throw new Error(`None of the addons in ${folder} loads: ${problems.join('; ')}.`);
}

function block(readme, language) {
  const [, text] = new RegExp(`^\`\`\`${language}\\r?\\n(.*?)^\`\`\`\\r?$`, 'ms').exec(readme) ?? [];
  expect(text !== undefined, `The README has no block of ${language}.`);
  return text.replaceAll('\r', '');
}

/** Runs the README's first example until it has printed as many lines as the README shows. */
async function checkExample(folder) {
  const readme = readFileSync(join(folder, 'node_modules/tracewright/README.md'), 'utf8');
  const shown = block(readme, 'text').trimEnd().split('\n');
  writeFileSync(join(folder, 'app.mjs'), block(readme, 'js'));
  const child = spawn(process.execPath, ['app.mjs', '--listen'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: exampleSeconds * 1000,
  });
  const lines = [];
  for await (const line of createInterface({ input: child.stdout })) {
    console.log(line);
    lines.push(line);
    if (lines.length > shown.length) break;
  }
  child.kill();
  const [status = '', ...events] = lines;
  // What the addon's platform offers, or why nobody can use it on this machine
  expect(/^(user_events|etw)\b|^none \S.*\.$/.test(status), `The first line is "${status}".`);
  expect(!status.includes('could not be loaded'), 'The addon was not loaded.');
  expect(events.join('\n') === shown.join('\n'), `The README shows other lines:\n${shown.join('\n')}`);
}

const { values, positionals } = parseArgs({
  options: { 'no-compiler': { type: 'boolean', default: false } },
  allowPositionals: true,
});
const [tarball] = positionals;
expect(tarball !== undefined, 'Usage: node test-prebuild.mjs [--no-compiler] PACKAGE.tgz');
if (values['no-compiler']) {
  const found = installedCompilers();
  expect(found.length === 0, `This machine must not have a compiler, but has ${found.join(', ')}.`);
}
const folder = mkdtempSync(join(tmpdir(), 'tracewright-installed-'));
try {
  install(folder, resolve(tarball));
  checkAddon(folder);
  await checkExample(folder);
  console.log(
    `The package works on ${process.platform}-${process.arch} with Node.js ${process.versions.node}.`,
  );
} finally {
  // On Windows, a loaded addon cannot be deleted while this process runs
  if (process.platform !== 'win32') rmSync(folder, { recursive: true });
}
