// `node run.cjs node scripts/countCode.ts`: prints figures of the code (docs/development.md, Figures of the code).
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const TOKENS = 'platform/web/theme/tokens.css';
const COLOUR = /#[\da-f]{3,8}\b|\b(?:rgb|hsl)a?\(|(?<=:\s*)(?:black|white)\b/gi;
const TEST_FILE = /\.(?:test|e2e|desktop)\.tsx?$/;

const GROUPS: readonly (readonly [name: string, matches: (path: string) => boolean])[] = [
  ['TypeScript without test files', (path) => /\.tsx?$/.test(path) && !TEST_FILE.test(path)],
  ['Test files', (path) => TEST_FILE.test(path)],
  ['Style sheets', (path) => path.endsWith('.css')],
];

const readText = (path: string): string => readFileSync(path, 'utf8');
const countLines = (path: string): number => readText(path).split('\n').length - 1;
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const formatCount = (count: number): string => count.toLocaleString('en-GB');

const paths = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\0')
  .filter((path) => path !== '' && !/(?:^|\/)dist\//.test(path) && existsSync(path));

function printGroup(name: string, members: readonly string[]): void {
  const sizes = members.map((path) => ({ path, lines: countLines(path) })).toSorted((a, b) => a.lines - b.lines);
  const total = sizes.reduce((sum, { lines }) => sum + lines, 0);
  const median = sizes[Math.floor(sizes.length / 2)]?.lines ?? 0;
  const largest = sizes.at(-1);
  const details = largest === undefined ? '' : `; median ${median}, largest ${largest.lines} (${largest.path})`;
  print(`${name}: ${formatCount(sizes.length)} files, ${formatCount(total)} lines${details}`);
}

const countColours = (path: string): number =>
  readText(path)
    .replaceAll(/\/\*.*?\*\//gs, '')
    .match(COLOUR)?.length ?? 0;

/** Finds the file of a name in a walk. It is relative to the file before it, or short for one that is named above. */
function findWalkFile(name: string, earlierFiles: readonly string[]): string | undefined {
  const siblingPath = join(dirname(earlierFiles.at(-1) ?? ''), name);
  if (paths.includes(name)) return name;
  if (paths.includes(siblingPath)) return siblingPath;
  const suffix = `/${name.replace(/^(?:\.\.\/)+/, '')}`;
  return earlierFiles.find((path) => path.endsWith(suffix)) ?? paths.find((path) => path.endsWith(suffix));
}

function listWalkFiles(walk: string): readonly string[] {
  const files: string[] = [];
  for (const [, name = ''] of walk.matchAll(/`([\w./-]+\.tsx?)`/g)) files.push(findWalkFile(name, files) ?? name);
  return [...new Set(files)];
}

for (const [name, matches] of GROUPS) printGroup(name, paths.filter(matches));

const colours = paths.filter((path) => path.endsWith('.css') && path !== TOKENS).map(countColours);
print(`Colour literals in style sheets outside tokens.css: ${colours.reduce((sum, count) => sum + count, 0)}`);
print(
  `Test files of web code without a browser: ${paths.filter((path) => /\/web\/.*\.test\.tsx?$/.test(path)).length}`,
);

const [, walks = ''] = readText('docs/architecture.md').split('\n## Four walks through the code\n');
const walkFiles = walks
  .split('\n### ')
  .slice(1)
  .map((walk) => ({ title: walk.split('\n', 1)[0], files: listWalkFiles(walk) }));
for (const { title, files } of walkFiles) print(`Files of the walk '${title}': ${files.length}`);
print(`Different files of all walks: ${new Set(walkFiles.flatMap(({ files }) => files)).size}`);
print(
  `Not found: ${walkFiles.flatMap(({ files }) => files.filter((path) => !paths.includes(path))).join(', ') || 'none'}`,
);
