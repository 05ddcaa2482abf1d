import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { CallFailed, type Client } from '#platform/contract/client.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { answershoplist, deleteshoplist, getshoplist, getshoplists, shareshoplist } from '#tools/shopping/contract.ts';
import { changed } from '#tools/shopping/domain/changed.ts';
import type { Change, Item, List } from '#tools/shopping/domain/list.ts';
import { emptyReplica, keyOf, newReplica, view, type Loaded, type Replica } from '#tools/shopping/domain/replica.ts';
import { readLoaded } from '#tools/shopping/domain/replicaWire.ts';
import { shown } from '../shoppingHistories.ts';
import { openBrowser, type Browser, type BrowserParts } from './browser.ts';
import { throwDice, type Dice } from './dice.ts';
import type { FaultyLine } from './line.ts';
import {
  COUNTED,
  COUNTER,
  PERSON,
  PLAIN_PERSON,
  TOGETHER,
  TOO_LONG,
  firstChanges,
  isTooLong,
  ownLetters,
  type Doing,
} from './people.ts';
import { openPlain, type PlainBrowser } from './plainBrowser.ts';

/** An account, and its calls over a line that nobody cuts: the server may still be dead. */
export interface Person {
  readonly name: string;
  readonly token: string;
  readonly call: Client;
}

/** Those who share one list: the owner at two browsers, a friend at one, and one with a plain client. */
export interface Company {
  readonly owner: Person;
  readonly friend: Person;
  readonly plain: Person;
  /** Of the four clients. */
  readonly lines: readonly [FaultyLine, FaultyLine, FaultyLine, FaultyLine];
  /** Whenever something is sent or answered: a moment to kill the server at. */
  readonly onBeat: () => void;
}

const STEPS = 40;
/** People do something every so many milliseconds, at most. */
const PACE_MS = 12;
/** A history that has not come to rest by then never will. */
const PATIENCE_MS = 300_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits for what is to be, and says what is in its place where that does not come. */
const until = async (isSo: () => boolean, state: () => unknown): Promise<void> => {
  const end = performance.now() + PATIENCE_MS;
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`it did not come to rest: ${JSON.stringify(state())}`);
    await pause(5);
  }
};

/** Until the server is there to answer. */
const insist = async <T>(act: () => Promise<T>): Promise<T> => {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error;
      await pause(20);
    }
  }
};

/** The sentence that refused it; '' where it was done. */
const attempt = async (act: () => Promise<unknown>): Promise<string> => {
  try {
    await insist(act);
    return '';
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
};

/** What was done already by a call whose answer was lost is refused the second time: what counts is that it is so. */
const join = async (owner: Person, other: Person, id: number): Promise<void> => {
  const invited = await attempt(() => owner.call(shareshoplist, { id, username: other.name }));
  const joined = await attempt(() => other.call(answershoplist, { id, join: true }));
  const seen = await attempt(() => other.call(getshoplist, { id }));
  if (seen !== '') throw new Error(`${other.name} could not join: ${invited}; ${joined}; ${seen}`);
};

/** The change with its own things under the names that they were made by. */
const underFirstNames = (change: Change, replica: Replica): Change => {
  const first = (id: string): string => keyOf(replica, id);
  if (change.kind === 'rename') return change;
  if (change.kind === 'link') return { ...change, item: first(change.item), type: first(change.type) };
  if (change.kind === 'links') return { ...change, item: first(change.item), types: change.types.map(first) };
  return { ...change, id: first(change.id) };
};

/** One person's own items as everyone must see them, by name. */
const ownOf = (list: List, who: number): ReadonlyMap<string, readonly [Item, readonly string[]]> =>
  new Map(
    [...list.items].flatMap(([id, item]) => {
      if (!item.name.startsWith(ownLetters(who))) return [];
      const types = [...(list.links.get(id) ?? [])].map((type) => list.types.get(type)?.name ?? '');
      return [[item.name, [item, types.toSorted()]] as const];
    }),
  );
const NOTHING: List = { name: '', items: new Map(), types: new Map(), links: new Map() };

/** What a person did that was not refused, done again by itself. */
const dueOf = ({ done, replica }: Browser): List =>
  changed(
    NOTHING,
    done().map(({ change }) => underFirstNames(change, replica())),
  );

const countedBy = ({ done, replica }: Browser, counters: ReadonlySet<string>): number =>
  done().reduce((sum, { change }) => {
    if (change.kind !== 'count') return sum;
    const { ids } = replica();
    return counters.has(ids.get(change.id) ?? change.id) ? sum + change.by : sum;
  }, 0);

/** What the plain person alone touches, by name. */
const plainDue = () => {
  const due = new Map<string, Item>();
  return {
    due,
    /** Before it is done to `seen`. */
    note: (changes: readonly Change[], seen: List): void => {
      for (const change of changes) {
        if (change.kind !== 'item' && change.kind !== 'remove') continue;
        const before = seen.items.get(change.id)?.name;
        const after = [...changed(seen, [change]).items].find(([id]) => id === change.id)?.[1];
        if (before?.startsWith(ownLetters(3)) === true) due.delete(before);
        if (after?.name.startsWith(ownLetters(3)) === true) due.set(after.name, after);
      }
    },
  };
};

/** What the lines and the pages go through at a step. */
const trouble = (dice: Dice, line: FaultyLine, page: Pick<Browser, 'reopen'>): void => {
  const what = dice.whole(6);
  if (what === 0) line.cut();
  else if (what === 1) line.setDown(true);
  else if (what === 2) line.spoil('request');
  else if (what === 3) page.reopen();
  else line.spoil('answer');
};

/** Plays one list from its making to its end, and checks it. @throws where anything is lost, doubled or unequal. */
export const playHistory = async (seed: number, company: Company): Promise<void> => {
  const { owner, friend, plain: plainPerson, lines, onBeat } = company;
  const dice = throwDice(seed);
  let least = 0;
  const common = {
    onAnswer: (revision: number): void => {
      least = Math.max(least, revision);
      onBeat();
    },
    onSend: onBeat,
    least: () => least,
  };
  const browsers: Browser[] = [];
  const open = (parts: Pick<BrowserParts, 'line' | 'token' | 'start'>): Browser => {
    const browser = openBrowser({ ...common, ...parts });
    browsers.push(browser);
    return browser;
  };
  let plain: PlainBrowser | undefined;
  try {
    const maker = open({ line: lines[0], token: owner.token, start: newReplica(randomUUID()) });
    if (dice.isOneIn(2)) lines[0].spoil(dice.isOneIn(2) ? 'answer' : 'request');
    maker.change(firstChanges(`History ${seed}`));
    await until(
      () => maker.isQuiet() && maker.replica().list !== undefined,
      () => [maker.replica(), maker.troubles],
    );
    const id = maker.replica().list ?? 0;
    await join(owner, friend, id);
    await join(owner, plainPerson, id);
    open({ line: lines[1], token: owner.token, start: emptyReplica(id, randomUUID(), NOTHING) });
    open({ line: lines[2], token: friend.token, start: emptyReplica(id, randomUUID(), NOTHING) });
    plain = openPlain({ ...common, line: lines[3], token: plainPerson.token, id });
    const due = await live(dice, { browsers, plain, lines });
    for (const line of lines) {
      line.setDown(false);
      line.spoil(undefined);
    }
    await check({ id, browsers, plain, owner, due });
    const deleted = await attempt(() => owner.call(deleteshoplist, { id }));
    if (deleted !== '') assert.match(deleted, /gone/, 'it was deleted by a call whose answer was lost');
  } finally {
    for (const each of [...browsers, ...(plain ? [plain] : [])]) each.close();
    for (const line of lines) {
      line.setDown(false);
      line.spoil(undefined);
    }
  }
};

interface Scene {
  readonly browsers: readonly Browser[];
  readonly plain: PlainBrowser;
  readonly lines: Company['lines'];
}

/** What the plain person is due at its end. */
const live = async (dice: Dice, { browsers, plain, lines }: Scene): Promise<ReadonlyMap<string, Item>> => {
  const { due, note } = plainDue();
  let fresh = 0;
  const freshId = (): string => `new${(fresh += 1)}`;
  const act = (who: number, doing: Doing | undefined): void => {
    const browser = browsers[who];
    const seen = browser ? view(browser.replica()) : plain.list();
    const changes = doing?.(dice, seen, who, freshId) ?? [];
    if (browser) {
      browser.change(changes);
      return;
    }
    note(changes, seen);
    plain.change(changes);
  };
  for (let step = 0; step < STEPS; step += 1) {
    const who = dice.whole(lines.length);
    const line = lines[who];
    if (line && dice.isOneIn(4)) trouble(dice, line, browsers[who] ?? plain);
    else if (dice.isOneIn(25)) browsers[who]?.change([TOO_LONG]);
    else if (who < browsers.length) act(who, dice.of(PERSON));
    // What it shows of its own things before they are answered is not to be relied on.
    else act(who, dice.of(plain.isQuiet() ? PLAIN_PERSON : TOGETHER));
    // A line that is down stays so for some steps.
    for (const each of lines) if (dice.isOneIn(8)) each.setDown(false);
    await pause(dice.whole(PACE_MS));
  }
  return due;
};

interface End {
  readonly id: number;
  readonly browsers: readonly Browser[];
  readonly plain: PlainBrowser;
  readonly owner: Person;
  readonly due: ReadonlyMap<string, Item>;
}

/** Waits until everything is sent and heard, and compares. */
const check = async ({ id, browsers, plain, owner, due }: End): Promise<void> => {
  const state = (): unknown => browsers.map(({ replica, troubles }) => [replica(), troubles]);
  const isQuiet = (): boolean => plain.isQuiet() && browsers.every((browser) => browser.isQuiet());
  await until(isQuiet, state);
  const truth: Loaded = readLoaded((await insist(() => owner.call(getshoplist, { id }))).data);
  await until(() => isQuiet() && browsers.every(({ replica }) => replica().revision === truth.revision), state);
  plain.reopen();
  await until(plain.isQuiet, state);

  assert.deepEqual(
    [...browsers, plain].flatMap(({ troubles }) => troubles),
    [],
  );
  const { lists } = (await insist(() => owner.call(getshoplists, {}))).data;
  assert.deepEqual(
    lists.map((list) => list.id).filter((each) => each >= id),
    [id],
    'a list is made once',
  );
  for (const { replica } of browsers) assert.deepEqual(shown(view(replica())), shown(truth.list), 'all see the same');
  assert.deepEqual(shown(plain.list()), shown(truth.list), 'the plain client sees the same');

  for (const [who, browser] of browsers.entries())
    assert.deepEqual(ownOf(truth.list, who), ownOf(dueOf(browser), who), `what person ${who} did is there, once`);
  assert.deepEqual(
    new Map([...ownOf(truth.list, 3)].map(([name, [item]]) => [name, item])),
    due,
    'what the plain person did is there, once',
  );
  const counters = new Map([...truth.list.items].filter(([, { name }]) => name.startsWith(COUNTER)));
  const counted = [...counters.values()].reduce((sum, { actual }) => sum + actual, 0);
  const pressed = browsers.reduce((sum, browser) => sum + countedBy(browser, new Set(counters.keys())), 0);
  assert.equal(counted, COUNTED + pressed, 'no plus or minus is lost or doubled');
  for (const { refusals } of browsers)
    for (const { why, changes } of refusals) {
      assert.match(why, /The name of a list has at most 200 characters/);
      assert.ok(changes.some(({ change }) => isTooLong(change)));
    }
};
