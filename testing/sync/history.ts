import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CallError, type Client } from '#platform/contract/client.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { createSeededRandom, type SeededRandom } from '#testing/kits/random.ts';
import { answershoplist, deleteshoplist, getshoplist, getshoplists, shareshoplist } from '#tools/shopping/contract.ts';
import type { Change, Item, List } from '#tools/shopping/lists/domain/list.ts';
import { applyChanges } from '#tools/shopping/sync/domain/listReducer.ts';
import {
  createUnloadedReplica,
  getKey,
  createNewReplica,
  getVisibleList,
  type LoadedList,
  type Replica,
  parseLoadedList,
} from '#tools/shopping/sync/domain/replica.ts';
import { openSyncBrowser, type SyncBrowser, type SyncBrowserDeps } from './browser.ts';
import type { FaultyLine } from './faultyLine.ts';
import {
  TOTAL_AMOUNT,
  COUNTER,
  PERSON_ACTIONS,
  PLAIN_PERSON_ACTIONS,
  SHARED_ACTIONS,
  TOO_LONG_CHANGE,
  createFirstChanges,
  isTooLong,
  getOwnPrefix,
  type PersonAction,
} from './people.ts';
import { openPlainBrowser, type PlainBrowser } from './plainBrowser.ts';
import { toComparableList } from './shoppingHistories.ts';

/** An account with calls over a reliable connection; the server can still be dead. */
export interface TestPerson {
  readonly name: string;
  readonly token: string;
  readonly call: Client;
}

/** Members of one list: the owner in two browsers, a friend in one, and one with a plain client. */
export interface TestGroup {
  readonly owner: TestPerson;
  readonly friend: TestPerson;
  readonly plain: TestPerson;
  /** Connections of the four clients. */
  readonly lines: readonly [FaultyLine, FaultyLine, FaultyLine, FaultyLine];
  /** Called whenever something is sent or answered: a moment to kill the server. */
  readonly onTraffic: () => void;
}

const STEPS = 40;
/** Maximum time between two actions. */
const MAX_STEP_DELAY_MS = 12;
/** A history that has not settled by then never will. */
const SETTLE_TIMEOUT_MS = 300_000;

/** Waits for a condition, and reports the actual state after a timeout. */
async function waitFor(isTrue: () => boolean, state: () => unknown): Promise<void> {
  const end = performance.now() + SETTLE_TIMEOUT_MS;
  while (!isTrue()) {
    if (performance.now() > end) throw new Error(`the condition was not met: ${JSON.stringify(state())}`);
    await sleep(5);
  }
}

/** Retries until the server answers. */
async function retryUntilDone<T>(action: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      await sleep(20);
    }
  }
}

/** Returns the message of a refusal; '' on success. */
async function attempt(action: () => Promise<unknown>): Promise<string> {
  try {
    await retryUntilDone(action);
    return '';
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

/** Adds a member. Repeated calls whose first answer was lost are refused; only the final state matters. */
async function join(owner: TestPerson, other: TestPerson, id: number): Promise<void> {
  const invited = await attempt(() => owner.call(shareshoplist, { id, username: other.name }));
  const joined = await attempt(() => other.call(answershoplist, { id, join: true }));
  const loaded = await attempt(() => other.call(getshoplist, { id }));
  if (loaded !== '') throw new Error(`${other.name} could not join: ${invited}; ${joined}; ${loaded}`);
}

/** Returns the change with own things under their `new…` ids. */
function toFirstIds(change: Change, replica: Replica): Change {
  const getFirstId = (id: string): string => getKey(replica, id);
  if (change.kind === 'rename') return change;
  if (change.kind === 'link') return { ...change, item: getFirstId(change.item), type: getFirstId(change.type) };
  if (change.kind === 'links') return { ...change, item: getFirstId(change.item), types: change.types.map(getFirstId) };
  return { ...change, id: getFirstId(change.id) };
}

/** Returns one user's own items as everyone must see them, by name. */
const listOwnItems = (list: List, who: number): ReadonlyMap<string, readonly [Item, readonly string[]]> =>
  new Map(
    [...list.items].flatMap(([id, item]) => {
      if (!item.name.startsWith(getOwnPrefix(who))) return [];
      const types = [...(list.links.get(id) ?? [])].map((type) => list.types.get(type)?.name ?? '');
      return [[item.name, [item, types.toSorted()]] as const];
    }),
  );
const NOTHING: List = { name: '', items: new Map(), types: new Map(), links: new Map() };

/** Returns the expected list: what a user did and was not refused. */
const getExpectedList = ({ listDone, getReplica }: SyncBrowser): List =>
  applyChanges(
    NOTHING,
    listDone().map(({ change }) => toFirstIds(change, getReplica())),
  );

const sumCounts = ({ listDone, getReplica }: SyncBrowser, counters: ReadonlySet<string>): number =>
  listDone().reduce((sum, { change }) => {
    if (change.kind !== 'count') return sum;
    const { ids } = getReplica();
    return counters.has(ids.get(change.id) ?? change.id) ? sum + change.by : sum;
  }, 0);

/** Tracks the expected items of the plain user, by name. */
function createExpectedItems() {
  const expectedItems = new Map<string, Item>();
  return {
    expectedItems,
    /** Called before the changes are applied to `visibleList`. */
    recordChanges: (changes: readonly Change[], visibleList: List): void => {
      for (const change of changes) {
        if (change.kind !== 'item' && change.kind !== 'remove') continue;
        const previousName = visibleList.items.get(change.id)?.name;
        const changedItem = [...applyChanges(visibleList, [change]).items].find(([id]) => id === change.id)?.[1];
        if (previousName?.startsWith(getOwnPrefix(3)) === true) expectedItems.delete(previousName);
        if (changedItem?.name.startsWith(getOwnPrefix(3)) === true) expectedItems.set(changedItem.name, changedItem);
      }
    },
  };
}

/** Causes failures of connections and pages at a step. */
function causeFailure(random: SeededRandom, line: FaultyLine, page: Pick<SyncBrowser, 'reopen'>): void {
  const failure = random.nextInt(6);
  if (failure === 0) line.disconnect();
  else if (failure === 1) line.setDown(true);
  else if (failure === 2) line.loseNext('request');
  else if (failure === 3) page.reopen();
  else line.loseNext('answer');
}

/** Plays one list from its creation to its end, and checks it. @throws if anything is lost, duplicated or unequal. */
export async function runHistory(seed: number, group: TestGroup): Promise<void> {
  const { owner, friend, plain: plainPerson, lines, onTraffic } = group;
  const random = createSeededRandom(seed);
  let minRevision = 0;
  const commonDeps = {
    onAnswer: (revision: number): void => {
      minRevision = Math.max(minRevision, revision);
      onTraffic();
    },
    onSend: onTraffic,
    getMinRevision: () => minRevision,
  };
  const browsers: SyncBrowser[] = [];
  function open(deps: Pick<SyncBrowserDeps, 'line' | 'token' | 'start'>): SyncBrowser {
    const browser = openSyncBrowser({ ...commonDeps, ...deps });
    browsers.push(browser);
    return browser;
  }
  let plain: PlainBrowser | undefined;
  try {
    const firstBrowser = open({ line: lines[0], token: owner.token, start: createNewReplica(randomUUID()) });
    if (random.isOneOf(2)) lines[0].loseNext(random.isOneOf(2) ? 'answer' : 'request');
    firstBrowser.change(createFirstChanges(`History ${seed}`));
    await waitFor(
      () => firstBrowser.isIdle() && firstBrowser.getReplica().list !== undefined,
      () => [firstBrowser.getReplica(), firstBrowser.errors],
    );
    const id = firstBrowser.getReplica().list ?? 0;
    await join(owner, friend, id);
    await join(owner, plainPerson, id);
    open({ line: lines[1], token: owner.token, start: createUnloadedReplica(id, randomUUID(), NOTHING) });
    open({ line: lines[2], token: friend.token, start: createUnloadedReplica(id, randomUUID(), NOTHING) });
    plain = openPlainBrowser({ ...commonDeps, line: lines[3], token: plainPerson.token, id });
    const expectedItems = await runSteps(random, { browsers, plain, lines });
    for (const line of lines) {
      line.setDown(false);
      line.loseNext(undefined);
    }
    await check({ id, browsers, plain, owner, expectedItems });
    const deleted = await attempt(() => owner.call(deleteshoplist, { id }));
    if (deleted !== '') assert.match(deleted, /was deleted/, 'it was deleted by a call whose answer was lost');
  } finally {
    for (const client of [...browsers, ...(plain ? [plain] : [])]) client.close();
    for (const line of lines) {
      line.setDown(false);
      line.loseNext(undefined);
    }
  }
}

interface HistoryRun {
  readonly browsers: readonly SyncBrowser[];
  readonly plain: PlainBrowser;
  readonly lines: TestGroup['lines'];
}

/** Runs the history; returns the items that the plain user expects at its end. */
async function runSteps(
  random: SeededRandom,
  { browsers, plain, lines }: HistoryRun,
): Promise<ReadonlyMap<string, Item>> {
  const { expectedItems, recordChanges } = createExpectedItems();
  let freshCount = 0;
  const freshId = (): string => `new${(freshCount += 1)}`;
  function action(who: number, activity: PersonAction | undefined): void {
    const browser = browsers[who];
    const visibleList = browser ? getVisibleList(browser.getReplica()) : plain.list();
    const changes = activity?.(random, visibleList, who, freshId) ?? [];
    if (browser) {
      browser.change(changes);
      return;
    }
    recordChanges(changes, visibleList);
    plain.change(changes);
  }
  for (let step = 0; step < STEPS; step += 1) {
    const who = random.nextInt(lines.length);
    const line = lines[who];
    if (line && random.isOneOf(4)) causeFailure(random, line, browsers[who] ?? plain);
    else if (random.isOneOf(25)) browsers[who]?.change([TOO_LONG_CHANGE]);
    else if (who < browsers.length) action(who, random.pick(PERSON_ACTIONS));
    // Its view of own things is not reliable before they are answered.
    else action(who, random.pick(plain.isIdle() ? PLAIN_PERSON_ACTIONS : SHARED_ACTIONS));
    // A connection that is down stays down for some steps.
    for (const otherLine of lines) if (random.isOneOf(8)) otherLine.setDown(false);
    await sleep(random.nextInt(MAX_STEP_DELAY_MS));
  }
  return expectedItems;
}

interface HistoryEnd {
  readonly id: number;
  readonly browsers: readonly SyncBrowser[];
  readonly plain: PlainBrowser;
  readonly owner: TestPerson;
  readonly expectedItems: ReadonlyMap<string, Item>;
}

/** Waits until everything is sent and received, and compares. */
async function check({ id, browsers, plain, owner, expectedItems }: HistoryEnd): Promise<void> {
  const state = (): unknown => browsers.map(({ getReplica, errors }) => [getReplica(), errors]);
  const isQuiet = (): boolean => plain.isIdle() && browsers.every((browser) => browser.isIdle());
  await waitFor(isQuiet, state);
  const serverList: LoadedList = parseLoadedList((await retryUntilDone(() => owner.call(getshoplist, { id }))).data);
  await waitFor(
    () => isQuiet() && browsers.every(({ getReplica }) => getReplica().revision === serverList.revision),
    state,
  );
  plain.reopen();
  await waitFor(plain.isIdle, state);

  assert.deepEqual(
    [...browsers, plain].flatMap(({ errors }) => errors),
    [],
  );
  const { lists } = (await retryUntilDone(() => owner.call(getshoplists, {}))).data;
  assert.deepEqual(
    lists.map((list) => list.id).filter((listId) => listId >= id),
    [id],
    'a list is made once',
  );
  for (const { getReplica } of browsers)
    assert.deepEqual(
      toComparableList(getVisibleList(getReplica())),
      toComparableList(serverList.list),
      'all see the same',
    );
  assert.deepEqual(toComparableList(plain.list()), toComparableList(serverList.list), 'the plain client sees the same');

  for (const [who, browser] of browsers.entries())
    assert.deepEqual(
      listOwnItems(serverList.list, who),
      listOwnItems(getExpectedList(browser), who),
      `what person ${who} did is there, once`,
    );
  assert.deepEqual(
    new Map([...listOwnItems(serverList.list, 3)].map(([name, [item]]) => [name, item])),
    expectedItems,
    'what the plain person did is there, once',
  );
  const counters = new Map([...serverList.list.items].filter(([, { name }]) => name.startsWith(COUNTER)));
  const total = [...counters.values()].reduce((sum, { actual }) => sum + actual, 0);
  const pressedTotal = browsers.reduce((sum, browser) => sum + sumCounts(browser, new Set(counters.keys())), 0);
  assert.equal(total, TOTAL_AMOUNT + pressedTotal, 'no plus or minus is lost or doubled');
  for (const { refusals } of browsers)
    for (const { why, changes } of refusals) {
      assert.match(why, /The list name is too long. Enter at most 200 characters/);
      assert.ok(changes.some(({ change }) => isTooLong(change)));
    }
}
