import { expect, test } from 'vitest';
import { createManualTimers } from '#testing/kits/server/manualTimers.ts';
import { createUsageNotifier } from './usageModule.ts';

test('pages are notified immediately, then at most every ten seconds, and always of the last change', () => {
  const timers = createManualTimers();
  const received: string[] = [];
  const news = createUsageNotifier((account) => received.push(`${account} at ${timers.now()}`), timers);
  for (let second = 0; second < 25; second += 1) {
    news.notify(1);
    if (second === 3) news.notify(2);
    timers.advance(1000);
  }
  timers.advance(60_000);
  news.notify(1);
  expect(received).toEqual(['1 at 0', '2 at 3000', '1 at 10000', '1 at 20000', '1 at 30000', '1 at 85000']);
  news.stop();
});
