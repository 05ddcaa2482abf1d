import type { Transaction } from 'kysely';
import type { AnswerOf, RequestOf } from '#platform/contract/call.ts';
import type { EventInputOf } from '#platform/contract/event.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { UnitOfWork } from '#platform/server/database/database.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { LISTS_LIMIT, NEW_LIST, modifyshoplist, shoplistChanges, shoplistsChanged } from '../../contract.ts';
import { NEW_LIST_NAME } from '../../lists/domain/list.ts';
import type { Stores } from '../../server/shoppingStores.ts';
import { apply, emptyList, type Batch, type Leaf, type ListState } from '../domain/engine.ts';
import { answerOnWire, changesOnWire } from '../domain/listWire.ts';
import { readChanges } from '../domain/readBatch.ts';
import { keyOf, type KeptBatch } from './batchStore.ts';
import { isNaming, type SentId } from './stateStore.ts';
import { turnOf, turnOfAccount } from './writeLocks.ts';

type Request = RequestOf<typeof modifyshoplist>;
type Answer = AnswerOf<typeof modifyshoplist>;
type OnWire = Answer['changes'];
type Event = EventInputOf<typeof shoplistChanges>;

export const GONE = 'This list is gone, or is no longer shared with you';
export const TOO_MANY_LISTS = `You have ${LISTS_LIMIT} lists already: delete one, or leave one`;

/** Whose batch it is, and which; a plain client's has no number and is taken as often as it comes. */
interface Sender {
  readonly account: number;
  /** As the engine knows it: apart from any other account's. */
  readonly client: string;
  readonly own: { readonly client: string; readonly seq: number; readonly base: number } | undefined;
}

const senderOf = (account: number, { client, seq, base }: Request): Sender =>
  client === undefined || seq === undefined
    ? { account, client: `${account}`, own: undefined }
    : { account, client: `${account}.${client}`, own: { client, seq, base: base ?? 0 } };

/** What was kept of the last batch, as an answer or the sentence that refused it. */
type StoredOutcome = { readonly answer: Answer } | { readonly refused: string };

// Written by `take` and `refuse` alone.
const keptIn = ({ answer }: Pick<KeptBatch, 'answer'>): StoredOutcome => JSON.parse(answer) as StoredOutcome;
/** The sentence that refused it; undefined where it was taken. */
export function refusalIn(batch: Pick<KeptBatch, 'answer'>): string | undefined {
  const kept = keptIn(batch);
  return 'refused' in kept ? kept.refused : undefined;
}

/** A clock that is wrong wins nothing for ever: nothing was made later than it came, and nothing before there were clocks. */
const timeOf = ({ age, timesent }: Request, { own }: Sender, { path, now }: { path: string; now: number }): number => {
  const said = own ? now - (age && Object.hasOwn(age, path) ? (age[path] ?? 0) : 0) : timesent * 1000;
  return Math.floor(Math.min(now, Math.max(0, said)));
};

const batchOf = (request: Request, sender: Sender, state: ListState, now: number): Batch => {
  const { inc, linked } = request;
  const { own } = sender;
  const read = readChanges(request.changes, own ? { inc, linked: linked ?? {} } : {});
  return {
    client: sender.client,
    base: own && Math.min(own.base, state.revision),
    changes: read.map(({ change, path }) => ({ change, time: timeOf(request, sender, { path, now }) })),
  };
};

/** A batch that waits for the turn of its list. */
interface QueuedBatch {
  readonly account: number;
  readonly request: Request;
  readonly done: PromiseWithResolvers<Answer>;
}
/** As many batches of one list as are kept by one commit. */
const MAX_BATCHES_PER_COMMIT = 50;

/** What became of a batch: the rest of its commit does not depend on it. */
type BatchResult = { readonly answer: Answer } | { readonly error: unknown };

const attempt = (work: () => Answer): BatchResult => {
  try {
    return { answer: work() };
  } catch (error) {
    return { error };
  }
};

/** What is kept of a result; undefined of a fault, which may be none the next time. */
const keptOf = (result: BatchResult): StoredOutcome | undefined => {
  if ('answer' in result) return result;
  return result.error instanceof Refusal ? { refused: result.error.message } : undefined;
};

/** A list while batches are applied to it, one after the other, before all of it is written at once. */
interface OpenList {
  readonly list: number;
  readonly before: ListState;
  state: ListState;
  readonly writes: Map<string, Leaf>;
  readonly ids: SentId[];
  /** The last batch of each client, as it will be kept. */
  readonly last: Map<string, KeptBatch>;
  readonly news: Map<string, KeptBatch>;
  readonly events: Omit<Event, 'id'>[];
}

interface CommitInput {
  readonly open: OpenList;
  /** Accounts that share it. */
  readonly members: readonly number[];
  readonly isNewList: boolean;
  readonly time: number;
}

/** What was read before the transaction is not so any more: nothing of it is kept, and it is done again. */
class StaleReadError extends Error {
  override readonly name = 'Overtaken';
}

/** A batch that was answered before: word for word where it is the last one. */
const again = (last: KeptBatch, seq: number, revision: number): Answer => {
  if (seq < last.seq) return { changes: [], changed: false, revision, ids: {} };
  const kept = keptIn(last);
  if ('refused' in kept) throw new Refusal(kept.refused);
  return kept.answer;
};

/** Changes lists, and tells everyone who shares them. */
export function createModifyHandler({ database, realtime, now }: ServerContext, stores: Stores) {
  const { lists, states, batches, turns } = stores;
  const waiting = new Map<number, QueuedBatch[]>();

  const openList = async (
    list: number,
    state: ListState,
    { group, tx }: { readonly group: readonly QueuedBatch[]; readonly tx?: Transaction<unknown> },
  ): Promise<OpenList> => {
    const clients = group.flatMap(({ account, request }) => senderOf(account, request).own?.client ?? []);
    const accounts = group.map(({ account }) => account);
    const last = new Map((await batches.lastOf(accounts, clients, tx)).map((batch) => [keyOf(batch), batch]));
    return { list, before: state, state, writes: new Map(), ids: [], last, news: new Map(), events: [] };
  };

  /** @throws Refusal, and nothing is changed */
  const applyTo = (open: OpenList, sender: Sender, request: Request, time: number): Answer => {
    const { own, client } = sender;
    const before = open.state;
    const outcome = apply(before, batchOf(request, sender, before, time));
    const changed = outcome.state !== before;
    const { revision } = outcome.state;
    const shown = states.seenAfter(before, outcome);
    const told = changesOnWire(outcome.changes, shown) as OnWire;
    const ids = Object.fromEntries(outcome.ids);
    // The engine's values are what the wire takes.
    const changes = own ? told : (answerOnWire(outcome, shown) as OnWire);
    open.state = outcome.state;
    for (const [path, leaf] of outcome.writes) open.writes.set(path, leaf);
    for (const [sent, given] of outcome.ids) open.ids.push({ client, sent, given });
    if (changed)
      open.events.push({
        changes: told,
        revision,
        ids: own ? ids : {},
        ...(own ? { client: own.client, seq: own.seq } : {}),
      });
    return { changes, changed, revision, ids, ...(request.id === NEW_LIST ? { id: open.list } : {}) };
  };

  /** Takes a batch of somebody who shares the list. A refusal is the answer of its batch too: sent again it is refused alike, though it might be taken by then. */
  const takeOne = (open: OpenList, { account, request }: Omit<QueuedBatch, 'done'>, time: number): BatchResult => {
    const sender = senderOf(account, request);
    const { own } = sender;
    if (!own) return attempt(() => applyTo(open, sender, request, time));
    const key = keyOf({ account, client: own.client });
    const last = open.last.get(key);
    if (last && request.id !== NEW_LIST && last.list !== request.id)
      return { error: new Refusal('This client sends changes of another list') };
    if (last && own.seq <= last.seq) return attempt(() => again(last, own.seq, open.state.revision));
    const result = attempt(() => applyTo(open, sender, request, time));
    const kept = keptOf(result);
    if (!kept) return result;
    const batch = { account, client: own.client, list: open.list, seq: own.seq, answer: JSON.stringify(kept), time };
    open.last.set(key, batch);
    open.news.set(key, batch);
    return result;
  };

  /**
   * Writes all that was applied; after the commit everyone hears of it, in the order of the revisions.
   * @throws Overtaken where it was applied to what is not so any more
   */
  const close = async (
    { tx, afterCommit }: UnitOfWork,
    { open, members, isNewList, time }: CommitInput,
  ): Promise<void> => {
    const { list, before, state, events, news, writes, ids } = open;
    const { revision, nextId } = state;
    const isNamed = [...writes.keys()].some(isNaming);
    const to = {
      revision,
      next_id: nextId,
      ...(isNamed ? { named: revision } : {}),
      ...(events.length > 0 ? { changed: time } : {}),
    };
    if (!(await lists.become(tx, list, { from: before.revision, members: members.length, to })))
      throw new StaleReadError();
    if (events.length > 0) await states.write(tx, list, { writes, ids, time });
    if (news.size > 0 && !(await batches.keep(tx, [...news.values()], { isNewList }))) throw new StaleReadError();
    afterCommit(() => {
      states.keep(list, state);
      // Each event is written once for all of them.
      const rooms = members.map((account) => `account:${account}` as const);
      for (const event of events) {
        realtime.send(rooms, shoplistChanges, { id: list, ...event });
        if (event.changes.some(([[kind]]) => kind === 'name')) realtime.send(rooms, shoplistsChanged, {});
      }
    });
  };

  /** Applies what was asked to the list as it is now, and keeps it. What it needs to know is read before the transaction, which holds up all that is written on this server. */
  const takeNow = async (list: number, group: readonly QueuedBatch[]): Promise<readonly BatchResult[]> => {
    const found = await lists.open(list);
    const state = found && (await states.opened(found));
    if (!state) return group.map((): BatchResult => ({ error: new Refusal(GONE) }));
    const { members } = found;
    const time = now().epochMilliseconds;
    const open = await openList(list, state, { group });
    const done = group.map((asked): BatchResult =>
      members.includes(asked.account) ? takeOne(open, asked, time) : { error: new Refusal(GONE) },
    );
    if (open.events.length > 0 || open.news.size > 0)
      await database.transaction((work) => close(work, { open, members, isNewList: false, time }));
    return done;
  };

  /** Whoever writes to a list has its turn, so hardly anything comes in between: an account that is deleted, a client that writes to two lists. */
  const takeAll = async (list: number, group: readonly QueuedBatch[]): Promise<readonly BatchResult[]> => {
    for (let patience = 3; ; patience -= 1) {
      try {
        return await takeNow(list, group);
      } catch (error) {
        if (!(error instanceof StaleReadError) || patience === 0) throw error;
      }
    }
  };

  /** What waits for a list, kept by one commit: twenty people who shop at once wait for the disk once. */
  const takeGroup = async (list: number): Promise<void> => {
    const all = waiting.get(list) ?? [];
    const group = all.splice(0, MAX_BATCHES_PER_COMMIT);
    if (all.length === 0) waiting.delete(list);
    if (group.length === 0) return;
    try {
      for (const [at, result] of (await takeAll(list, group)).entries())
        if ('answer' in result) group[at]?.done.resolve(result.answer);
        else group[at]?.done.reject(result.error);
    } catch (error) {
      for (const { done } of group) done.reject(error);
    }
  };

  const makeList = async (account: number, request: Request): Promise<Answer> => {
    const { own } = senderOf(account, request);
    const time = now().epochMilliseconds;
    return database.transaction(async (work) => {
      const { tx } = work;
      const [last] = own ? await batches.lastOf([account], [own.client], tx) : [];
      if (own && last && own.seq <= last.seq) return again(last, own.seq, 0);
      if ((await lists.count(tx, account)) >= LISTS_LIMIT) throw new Refusal(TOO_MANY_LISTS);
      const state = emptyList(NEW_LIST_NAME);
      const list = await lists.make(tx, { account, revision: state.revision, nextId: state.nextId, now: time });
      await states.fill(tx, list, state);
      const open = await openList(list, state, { group: [], tx });
      const result = takeOne(open, { account, request }, time);
      if ('error' in result) throw result.error;
      await close(work, { open, members: [account], isNewList: true, time });
      work.afterCommit(() => realtime.send(`account:${account}`, shoplistsChanged, {}));
      return result.answer;
    });
  };

  return async (account: number, request: Request): Promise<Answer> => {
    const { id } = request;
    // Lists of one account are made one after the other: a batch that makes one may be sent twice at once.
    if (id === NEW_LIST) return turns.take(turnOfAccount(account), () => makeList(account, request));
    const done = Promise.withResolvers<Answer>();
    const all = waiting.get(id) ?? [];
    waiting.set(id, all);
    all.push({ account, request, done });
    // An earlier turn may have answered it, and a refusal that nobody hears at that moment would end the server.
    const [answer] = await Promise.all([done.promise, turns.take(turnOf(id), () => takeGroup(id))]);
    return answer;
  };
}
