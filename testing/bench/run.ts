// `npm run bench [name …] [--write]`: takes the figures that the issues set, each beside the simplest program that does the same work.
import { writeFile } from 'node:fs/promises';
import { aiBench } from './ai.ts';
import { machine, type Bench, type Figure } from './measure.ts';
import { messagesBench } from './messages.ts';
import { pasteBench } from './paste.ts';
import { relayBench } from './relay.ts';
import { serverBench } from './server.ts';
import { sliderBench } from './slider.ts';
import { slowReceiverBench } from './slowreceiver.ts';
import { tiltBench } from './tilt.ts';
import { tokenconvBench } from './tokenconv.ts';
import { typingBench } from './typing.ts';
import { weightBench } from './weight.ts';

const benches: readonly Bench[] = [
  typingBench,
  relayBench,
  sliderBench,
  tiltBench,
  slowReceiverBench,
  messagesBench,
  tokenconvBench,
  serverBench,
  weightBench,
  aiBench,
  pasteBench,
];
const wanted = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const figures: Figure[] = [];
for (const bench of benches) {
  if (wanted.length > 0 && !wanted.includes(bench.name)) continue;
  process.stdout.write(`${bench.name} …\n`);
  figures.push(...(await bench.run()));
}
const rows = figures.map(
  ({ what, target, ours, peer, reached }) => `| ${what} | ${target} | ${ours} | ${peer} | ${reached ? 'yes' : 'no'} |`,
);
const table = ['| what | to reach | Pegboard | simplest program | reached |', '|---|---|---|---|---|', ...rows].join(
  '\n',
);
process.stdout.write(`\n${machine()}\n\n${table}\n`);
if (process.argv.includes('--write')) {
  const text = `# Benchmarks

Taken by \`npm run bench -- --write\` on ${Temporal.Now.plainDateISO().toString()}: ${machine()}. Every figure stands beside
the same work done by the simplest program that can do it, in the same run. The programs stand in \`testing/bench/peers\`.

${table}
`;
  await writeFile('docs/benchmarks.md', text);
}
