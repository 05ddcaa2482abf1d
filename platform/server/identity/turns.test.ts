import { expect, test } from 'vitest';
import { TooMany } from '../limits.ts';
import { makeTurns } from './turns.ts';

const gate = () => Promise.withResolvers<void>();

test('so many run at once, the rest in order, and those behind a full line are sent away', async () => {
  const turns = makeTurns(2, 3);
  const gates = [gate(), gate(), gate(), gate(), gate()];
  const order: number[] = [];
  const all = gates.map(({ promise }, at) =>
    turns.take(async () => {
      order.push(at);
      await promise;
    }, 'strangers'),
  );
  await expect(turns.take(async () => order.push(99), 'strangers')).rejects.toThrow(TooMany);
  expect(order).toEqual([0, 1]);
  for (const { resolve } of gates) resolve();
  await Promise.all(all);
  expect(order).toEqual([0, 1, 2, 3, 4]);
});

test('a full line of strangers keeps no trusted one out, who goes first', async () => {
  const turns = makeTurns(1, 2);
  const held = gate();
  const order: string[] = [];
  const work = (name: string) => async () => void order.push(name);
  const running = turns.take(() => held.promise, 'strangers');
  const waiting = [turns.take(work('stranger 1'), 'strangers'), turns.take(work('stranger 2'), 'strangers')];
  const trusted = turns.take(work('owner'), 'trusted');
  held.resolve();
  await Promise.all([running, ...waiting, trusted]);
  expect(order).toEqual(['owner', 'stranger 1', 'stranger 2']);
});

test('work that fails gives its turn on', async () => {
  const turns = makeTurns(1, 1);
  await expect(
    turns.take(async () => {
      throw new Error('broken');
    }, 'strangers'),
  ).rejects.toThrow('broken');
  expect(await turns.take(async () => 'next', 'strangers')).toBe('next');
});
