import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createManualTimers } from '#testing/kits/server/manualTimers.ts';
import { startNightlyTasks } from './scheduler.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

test('tasks run a minute after the start and once a night, and a failing one stops no other', async () => {
  const timers = createManualTimers();
  const start = Temporal.PlainDateTime.from('2026-06-10T12:00').toZonedDateTime(Temporal.Now.timeZoneId()).toInstant();
  const now = () => start.add({ milliseconds: timers.now() });
  const runs: string[] = [];
  const logged: string[] = [];
  let taskRun = Promise.withResolvers<void>();
  const tasks = [
    { name: 'broken', run: () => Promise.reject(new Error('no')) },
    {
      name: 'whole',
      run: async () => {
        runs.push(now().toZonedDateTimeISO(Temporal.Now.timeZoneId()).toPlainDateTime().toString());
        taskRun.resolve();
      },
    },
  ];
  async function advanceAndWait(ms: number): Promise<void> {
    taskRun = Promise.withResolvers();
    timers.advance(ms);
    await taskRun.promise;
  }
  await using _ = startNightlyTasks({
    log: pino({}, { write: (line: string) => void logged.push(line) }),
    now,
    timers,
    tasks,
  });
  await advanceAndWait(MINUTE);
  timers.advance(15 * HOUR);
  expect(runs).toEqual(['2026-06-10T12:01:00']);
  await advanceAndWait(HOUR);
  await advanceAndWait(24 * HOUR);
  expect(runs.map((time) => time.slice(0, 10))).toEqual(['2026-06-10', '2026-06-11', '2026-06-12']);
  expect(logged).toHaveLength(3);
  expect(logged[0]).toContain('"tool":"broken"');
});
