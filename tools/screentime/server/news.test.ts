import { expect, test } from 'vitest';
import { handTimers } from '#testing/timers.ts';
import { makeNews } from './news.ts';

test('pages hear at once, then at most every ten seconds, and of the last change always', () => {
  const timers = handTimers();
  const heard: string[] = [];
  const news = makeNews((account) => heard.push(`${account} at ${timers.now()}`), timers);
  for (let second = 0; second < 25; second += 1) {
    news.tell(1);
    if (second === 3) news.tell(2);
    timers.turn(1000);
  }
  timers.turn(60_000);
  news.tell(1);
  expect(heard).toEqual(['1 at 0', '2 at 3000', '1 at 10000', '1 at 20000', '1 at 30000', '1 at 85000']);
  news.stop();
});
