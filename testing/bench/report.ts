import { readFile } from 'node:fs/promises';
import { describeMachine, type Bench, type BenchFigure } from './measure.ts';

const HEAD = `# Benchmarks

\`npm run bench -- --write\` measures all benches, or the ones that are named, and updates this page. Beside each figure of Pegboard
is the figure of the simplest program that does the same work, measured in the same run. These programs are in
\`testing/bench/baselines\`. Paragraphs below a table stay.

On the same kind of machine, figures in milliseconds can differ by a factor of two to three from one day to another. To compare
figures of two days, use the simplest programs, and the yardstick in the line above each table: how long that machine needed on
that day for a plain loop, to start \`true\` and to take a page of memory (\`testing/bench/measure.ts\`). The load is the average
of the minute before the run. If it is well above 0, other programs were running.
`;
const SECTION = /^## /m;

/** Formats the figures of one bench as a Markdown table. */
export function formatTable(figures: readonly BenchFigure[]): string {
  return [
    '| what | target | Pegboard | simplest program | reached |',
    '|---|---|---|---|---|',
    ...figures.map(
      ({ name, target, measured, baseline = 'none', isTargetMet }) =>
        `| ${name} | ${target} | ${measured} | ${baseline} | ${isTargetMet ? 'yes' : 'no'} |`,
    ),
  ].join('\n');
}

const parseSections = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text
      .split(SECTION)
      .slice(1)
      .map((section) => {
        const [name = ''] = section.split('\n', 1);
        return [name.trim(), section.slice(name.length).trim()];
      }),
  );

/** Returns the paragraphs below the table, which explain by hand why a target is missed. */
const getNotes = (section = ''): string =>
  section
    .split(/^\|.*\|$/m)
    .at(-1)
    ?.trim() ?? '';

/** Updates these benches' figures in the report, keeps those of others, and sorts by the order of `benches`. */
export async function updateReport(
  path: string,
  benches: readonly Bench[],
  figuresByBench: ReadonlyMap<string, readonly BenchFigure[]>,
): Promise<string> {
  const before = parseSections(await readFile(path, 'utf8'));
  const heading = `${Temporal.Now.plainDateISO().toString()}: ${describeMachine()}.`;
  const sections = benches.flatMap(({ name }) => {
    const figures = figuresByBench.get(name);
    const text = figures ? [heading, formatTable(figures), getNotes(before.get(name))].join('\n\n') : before.get(name);
    return text === undefined ? [] : [`\n## ${name}\n\n${text.trim()}\n`];
  });
  return HEAD + sections.join('');
}
