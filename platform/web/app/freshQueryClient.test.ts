import { QueryObserver } from '@tanstack/react-query';
import { expect, onTestFinished, test } from 'vitest';
import { FreshQueryClient } from './freshQueryClient.ts';

const KEY = ['list'] as const;

/** Questions whose answers come when the test gives them, in turn. */
const asking = () => {
  const queries = new FreshQueryClient();
  const asked: ((answer: string) => void)[] = [];
  const options = {
    queryKey: KEY,
    staleTime: Infinity,
    queryFn: () => new Promise<string>((resolve) => asked.push(resolve)),
  };
  const shown = () => queries.getQueryData<string>(KEY);
  const show = (): (() => void) => {
    const stop = new QueryObserver(queries, options).subscribe(() => undefined);
    onTestFinished(stop);
    return stop;
  };
  return { queries, asked, shown, show };
};

test('what changes while the first answer is on its way is asked for once more, and the first one is shown until then', async () => {
  const { queries, asked, shown, show } = asking();
  show();
  const news = [1, 2, 3].map(() => queries.invalidateQueries({ queryKey: KEY }));
  asked[0]?.('before');
  await expect.poll(() => asked.length).toBe(2);
  expect(shown()).toBe('before');
  asked[1]?.('after');
  await Promise.all(news);
  expect(shown()).toBe('after');
  expect(asked).toHaveLength(2);
});

test('what changes while an answer is on its way for a page that has gone does not count as fresh', async () => {
  const { queries, asked, shown, show } = asking();
  const gone = show();
  gone();
  // Nobody waits for it.
  await queries.invalidateQueries({ queryKey: KEY });
  asked[0]?.('before');
  await expect.poll(shown).toBe('before');
  show();
  await expect.poll(() => asked.length).toBe(2);
});

test('a later answer on its way is dropped for a new one', async () => {
  const { queries, asked, shown, show } = asking();
  show();
  asked[0]?.('first');
  await expect.poll(shown).toBe('first');
  const older = queries.invalidateQueries({ queryKey: KEY });
  const newer = queries.invalidateQueries({ queryKey: KEY });
  asked[1]?.('old');
  asked[2]?.('new');
  await Promise.all([older, newer]);
  expect(shown()).toBe('new');
  expect(asked).toHaveLength(3);
});

test('what is forgotten while its first answer is on its way is not asked for again', async () => {
  const { queries, show } = asking();
  show();
  const news = queries.invalidateQueries({ queryKey: KEY });
  queries.clear();
  await news;
  expect(queries.getQueryCache().getAll()).toEqual([]);
});
