import { readFile } from 'node:fs/promises';
import { describeMachine, type Bench, type BenchFigure } from './measure.ts';

const HEAD = `# Benchmarks

Taken by \`npm run bench -- --write\`, all of them or those that are named. Every figure stands beside the same work done by the
simplest program that can do it, in the same run. The programs stand in \`testing/bench/peers\`.

Machines of the same name differ by two and three times from day to day, and so do figures in milliseconds. The yardstick in a
section's stamp is the time of one plain loop and of a start of \`true\` (\`testing/bench/measure.ts\`) on that day: compare figures
of two days by it, and by the programs beside them. The load is that of the minute before: well above 0, others were at work.
`;
const SECTION = /^## /m;

/** Formats the figures of one bench as a Markdown table. */
export function formatTable(figures: readonly BenchFigure[]): string {
  return [
    '| what | to reach | Pegboard | simplest program | reached |',
    '|---|---|---|---|---|',
    ...figures.map(
      ({ what, target, ours, peer, isReached }) =>
        `| ${what} | ${target} | ${ours} | ${peer} | ${isReached ? 'yes' : 'no'} |`,
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

/** Updates these benches' figures in the report, keeps those of others, and sorts by the order of `benches`. */
export async function updateReport(
  path: string,
  benches: readonly Bench[],
  taken: ReadonlyMap<string, readonly BenchFigure[]>,
): Promise<string> {
  const before = parseSections(await readFile(path, 'utf8'));
  const stamp = `${Temporal.Now.plainDateISO().toString()}: ${describeMachine()}.`;
  const sections = benches.flatMap(({ name, note }) => {
    const figures = taken.get(name);
    const taking = figures && [stamp, formatTable(figures), ...(note === undefined ? [] : [note])];
    const text = taking?.join('\n\n') ?? before.get(name);
    return text === undefined ? [] : [`\n## ${name}\n\n${text}\n`];
  });
  return HEAD + sections.join('');
}
