import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createManualTimers } from '#testing/kits/server/manualTimers.ts';
import { startScheduler } from './scheduler.ts';

test('a task runs at its interval, skips runs while it is running, continues after an error, and delays the stop', async () => {
  const timers = createManualTimers();
  const lines: string[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
  const ends: PromiseWithResolvers<void>[] = [];
  const task = {
    name: 'refresh',
    intervalSeconds: 60,
    run: async () => {
      const end = Promise.withResolvers<void>();
      ends.push(end);
      await end.promise;
    },
  };
  const scheduler = startScheduler({ log, timers, tasks: [task] });
  timers.advance(59_999);
  expect(ends).toHaveLength(0);
  timers.advance(1);
  timers.advance(60_000);
  expect(ends).toHaveLength(1);
  ends[0]?.reject(new Error('no line'));
  await expect.poll(() => lines.length).toBe(1);
  timers.advance(60_000);
  expect(ends).toHaveLength(2);

  const stopping = scheduler[Symbol.asyncDispose]();
  expect(await Promise.race([stopping, Promise.resolve('running')])).toBe('running');
  ends[1]?.resolve();
  await stopping;
  timers.advance(600_000);
  expect(ends).toHaveLength(2);
});
