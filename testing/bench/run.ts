// `npm run bench [name …] [--write]`:
// measures figures with targets, each beside the simplest program that does the same.
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { aiBench } from './ai.ts';
import { calendarBench } from './calendar.ts';
import { calendarFeedBench } from './calendarfeed.ts';
import { calendarSaveBench } from './calendarsave.ts';
import { calendarScrollBench } from './calendarscroll.ts';
import { downloadBench } from './download.ts';
import { graphyBench } from './graphy.ts';
import { growthBench } from './growth.ts';
import { hotkeyBench } from './hotkey.ts';
import { idleBench } from './idle.ts';
import { ingestBench } from './ingest.ts';
import { describeMachine, type Bench, type BenchFigure } from './measure.ts';
import { messagesBench } from './messages.ts';
import { musicBench } from './music.ts';
import { musicPageBench } from './musicpage.ts';
import { pasteBench } from './paste.ts';
import { plannerBench } from './planner.ts';
import { relayBench } from './relay.ts';
import { releaseBench } from './release.ts';
import { updateReport, formatTable } from './report.ts';
import { screenTimeBench } from './screentime.ts';
import { screenTimePageBench } from './screentimepage.ts';
import { serverBench } from './server.ts';
import { shoppingBench } from './shopping.ts';
import { shoppingLoadBench } from './shoppingload.ts';
import { sliderBench } from './slider.ts';
import { slowReceiverBench } from './slowreceiver.ts';
import { subsonicBench } from './subsonic.ts';
import { tiltBench } from './tilt.ts';
import { timerBench } from './timer.ts';
import { timetableBench } from './timetable.ts';
import { tokenconvBench } from './tokenconv.ts';
import { typingBench } from './typing.ts';
import { watchingBench } from './watching.ts';
import { weightBench } from './weight.ts';

const REPORT = 'docs/benchmarks.md';
const benches: readonly Bench[] = [
  typingBench,
  relayBench,
  sliderBench,
  hotkeyBench,
  tiltBench,
  releaseBench,
  slowReceiverBench,
  messagesBench,
  tokenconvBench,
  serverBench,
  idleBench,
  weightBench,
  watchingBench,
  aiBench,
  pasteBench,
  calendarBench,
  calendarScrollBench,
  calendarSaveBench,
  calendarFeedBench,
  timetableBench,
  graphyBench,
  screenTimeBench,
  plannerBench,
  shoppingBench,
  shoppingLoadBench,
  timerBench,
  ingestBench,
  screenTimePageBench,
  downloadBench,
  musicBench,
  musicPageBench,
  subsonicBench,
  growthBench,
];
const requestedNames = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const unknownName = requestedNames.find((name) => benches.every((bench) => bench.name !== name));
if (unknownName !== undefined || process.argv.slice(2).some((word) => word.startsWith('--') && word !== '--write')) {
  const names = benches.map(({ name }) => name).join(' ');
  process.stderr.write(`Usage: npm run bench [name …] [-- --write]\nNames: ${names}\n`);
  process.exit(1);
}
const figuresByBench = new Map<string, readonly BenchFigure[]>();
for (const bench of benches) {
  if (requestedNames.length > 0 && !requestedNames.includes(bench.name)) continue;
  process.stdout.write(`${bench.name} …\n`);
  figuresByBench.set(bench.name, await bench.run());
}
process.stdout.write(`\n${describeMachine()}\n\n${formatTable([...figuresByBench.values()].flat())}\n`);
if (process.argv.includes('--write')) {
  await writeFile(REPORT, await updateReport(REPORT, benches, figuresByBench));
  spawnSync('oxfmt', [REPORT], { stdio: 'inherit' });
}
