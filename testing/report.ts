import type { FileCost } from './cost.ts';

/** A test file that was run. */
export interface FileRun {
  readonly path: string;
  /** From its first import to the end of its last hook. */
  readonly wallSeconds: number;
  /** Undefined if the file did not finish. */
  readonly cost: FileCost | undefined;
}

/** A single test that was run. */
export interface TestRun {
  readonly name: string;
  readonly wallSeconds: number;
}

const MAX_FILES = 30;
/** A third of the timeout: on a busy machine such a test would time out. */
const SLOW_TEST_SECONDS = 10;

const getCoreSeconds = ({ cost }: FileRun): number => cost?.coreSeconds ?? 0;
const formatColumn = (value: number, decimals = 1): string => value.toFixed(decimals).padStart(8);
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Formats the files with the most work, the longest tests, and a sum of the run. */
export function formatCosts(files: readonly FileRun[], tests: readonly TestRun[]): readonly string[] {
  const slowest = files
    .toSorted((a, b) => getCoreSeconds(b) - getCoreSeconds(a) || b.wallSeconds - a.wallSeconds)
    .slice(0, MAX_FILES);
  const slowTests = tests
    .filter(({ wallSeconds }) => wallSeconds >= SLOW_TEST_SECONDS)
    .toSorted((a, b) => b.wallSeconds - a.wallSeconds)
    .slice(0, MAX_FILES);
  const openings = sum(files.map(({ cost }) => cost?.openings ?? 0));
  return [
    `The ${slowest.length} slowest files:`,
    '  wall s  core s   pages  file',
    ...slowest.map(
      (file) =>
        `${formatColumn(file.wallSeconds)}${formatColumn(getCoreSeconds(file))}${formatColumn(file.cost?.openings ?? 0, 0)}  ${file.path}`,
    ),
    ...(slowTests.length > 0 ? [`Tests of ${SLOW_TEST_SECONDS} s or more:`] : []),
    ...slowTests.map(({ name, wallSeconds }) => `${formatColumn(wallSeconds)}  ${name}`),
    `${files.length} files: ${sum(files.map(getCoreSeconds)).toFixed(0)} core-seconds, ${openings} page openings`,
  ];
}
