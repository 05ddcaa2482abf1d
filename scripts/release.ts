// `npm run release -- 0.2.0`: makes changelog, version, commit, tag and tarball. `--pack` makes the tarball only.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { getManifestVersion, getReleaseNotes, prepareRelease, ReleaseError } from './prepareRelease.ts';

const USAGE = `Usage: npm run release -- <version>   makes a release, such as 1.2.3, of the checked out commit
       npm run release -- --pack     writes the tarball of the checked out release again
`;
const root = join(import.meta.dirname, '..');
const OUTPUT_DIR = join(root, 'release');
const CHANGELOG = 'CHANGELOG.md';
const MANIFEST = 'package.json';
const LOCK = 'package-lock.json';

function runGit(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function readFile(name: string): string {
  return readFileSync(join(root, name), 'utf8');
}

function writeFile(name: string, text: string): void {
  writeFileSync(join(root, name), text);
}

/** Checks that the release will be what is committed. @throws ReleaseError if files were changed or added. */
function validateCleanTree(): void {
  const changes = runGit('status', '--porcelain');
  if (changes !== '') throw new ReleaseError(`There are uncommitted changes. Commit or stash them first:\n${changes}`);
}

/** Commits and tags a version. Nothing is written if a check fails. */
function createRelease(version: string): void {
  const tag = `v${version}`;
  if (runGit('tag', '--list', tag) !== '') throw new ReleaseError(`The tag ${tag} exists. Choose a higher version`);
  const today = Temporal.Now.plainDateISO('UTC').toString();
  const current = { changelog: readFile(CHANGELOG), manifest: readFile(MANIFEST), lock: readFile(LOCK) };
  const released = prepareRelease(current, version, today);
  writeFile(CHANGELOG, released.changelog);
  writeFile(MANIFEST, released.manifest);
  writeFile(LOCK, released.lock);
  runGit('commit', '--message', `Release ${version}`, '--', CHANGELOG, MANIFEST, LOCK);
  runGit('tag', '--annotate', tag, '--message', `Pegboard ${version}`);
  print(`Committed and tagged ${tag}. Publish it: git push --follow-tags`);
}

/** Writes the tarball of the checked out release, and its notes. `npm ci && npm start` runs it. */
function packRelease(): void {
  const version = getManifestVersion(readFile(MANIFEST));
  const notes = getReleaseNotes(readFile(CHANGELOG), version);
  const name = `pegboard-${version}`;
  const tarball = join(OUTPUT_DIR, `${name}.tar.gz`);
  mkdirSync(OUTPUT_DIR, { recursive: true });
  runGit('archive', '--format=tar.gz', `--prefix=${name}/`, `--output=${tarball}`, 'HEAD');
  writeFileSync(join(OUTPUT_DIR, 'notes.md'), `${notes}\n`);
  print(`Wrote ${tarball}`);
}

function run(): void {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { pack: { type: 'boolean', default: false } },
  });
  const [version] = positionals;
  if (positionals.length > 1 || (version === undefined) !== values.pack) throw new ReleaseError(USAGE.trimEnd());
  validateCleanTree();
  if (version !== undefined) createRelease(version);
  packRelease();
}

try {
  run();
} catch (error) {
  if (!(error instanceof ReleaseError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
