import { expect, test } from 'vitest';
import { changed } from '../../domain/changed.ts';
import type { Change, List } from '../../domain/list.ts';
import { emptyReplica } from '../../domain/replica.ts';
import { makeMemoryKeep, type Menu } from './keep.ts';
import { makeLists } from './lists.ts';
import type { Served } from './served.ts';

const EMPTY: List = { name: '', items: new Map(), types: new Map(), links: new Map() };
const MILK: readonly Change[] = [
  { kind: 'rename', name: 'Groceries' },
  { kind: 'item', id: 'new1', field: 'name', value: 'Milk' },
];

/** The lists of a browser that keeps one, the server's 7, under this key; and what the server was asked. */
const browserWith = async (key: string, menu?: Served['menu']) => {
  const keep = makeMemoryKeep();
  const replica = { ...emptyReplica(7, 'client-one', changed(EMPTY, MILK)), revision: 3 };
  await keep.change(key, () => replica);
  const asked: string[] = [];
  const never = (what: string) => () => {
    asked.push(what);
    return new Promise<never>(() => undefined);
  };
  const served: Served = {
    send: never('send'),
    load: never('load'),
    menu: menu ?? never('menu'),
    onChanges: () => () => undefined,
    onMenu: () => () => undefined,
  };
  const clock = { now: () => 0, after: () => () => undefined };
  const noting = { onFailure: () => undefined, onRefused: () => undefined };
  return { asked, lists: makeLists({ keep, served, clock, randomId: () => 'random-id-1', ...noting }) };
};

const namesIn = (list: List | undefined): readonly string[] | undefined =>
  list && [...list.items.values()].map(({ name }) => name);

test.each(['7', 'new-made-here'])('a list that is kept as %s is shown before the server is asked', async (key) => {
  const { lists, asked } = await browserWith(key);
  await lists.ready('7');
  const open = lists.open('7');
  expect(namesIn(open?.sync.standing().list)).toEqual(['Milk']);
  expect(asked).toEqual([]);
  const stop = lists.start();
  await expect.poll(() => asked.toSorted()).toEqual(['load', 'menu']);
  expect(lists.open('7')).toBe(open);
  stop();
});

test('a list that is not kept is not waited for, and not asked for unless it is opened', async () => {
  const { lists, asked } = await browserWith('7');
  await lists.ready('8');
  const stop = lists.start();
  await lists.ready(undefined);
  expect(asked).toEqual(['menu']);
  lists.open('8');
  await expect.poll(() => asked).toEqual(['menu', 'load']);
  stop();
});

const menuOf = (...names: readonly string[]): Menu => ({
  lists: names.map((name, at) => ({ id: 8 + at, name, members: 1, archived: false })),
  invitations: [],
  deleted: [],
  globalItems: [],
});

test('an answer about the menu that comes behind a newer one is dropped', async () => {
  const answers: PromiseWithResolvers<Menu>[] = [];
  const { lists } = await browserWith('7', () => {
    const answer = Promise.withResolvers<Menu>();
    answers.push(answer);
    return answer.promise;
  });
  const shown = (): readonly string[] => lists.planner().lists.map(({ name }) => name);
  const stop = lists.start();
  lists.wake();
  lists.wake();
  const [first, second, third] = answers;
  second?.resolve(menuOf('Old', 'Made since'));
  await expect.poll(shown).toEqual(['Old', 'Made since']);
  first?.resolve(menuOf('Old'));
  await first?.promise;
  await Promise.resolve();
  expect(shown()).toEqual(['Old', 'Made since']);
  third?.resolve(menuOf('Made since'));
  await expect.poll(shown).toEqual(['Made since']);
  stop();
});
