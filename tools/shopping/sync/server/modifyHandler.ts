import { setTimeout as sleep } from 'node:timers/promises';
import type { Transaction } from 'kysely';
import type { AnswerOf, RequestOf } from '#platform/contract/call.ts';
import type { EventInputOf } from '#platform/contract/event.ts';
import { Refusal, UNKNOWN_CODE } from '#platform/contract/refusal.ts';
import { createKeyedQueue } from '#platform/contract/serialQueue.ts';
import type { Database, UnitOfWork } from '#platform/server/database/database.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { MAX_LISTS, NEW_LIST, modifyshoplist, shoplistChanges, shoplistsChanged } from '../../contract.ts';
import { NEW_LIST_NAME } from '../../lists/domain/list.ts';
import type { Stores } from '../../server/shoppingStores.ts';
import { createEmptyState, type Leaf, type ListState } from '../domain/listState.ts';
import { toWireAnswer, toWireChanges } from '../domain/listWire.ts';
import { mergeBatch, type Batch } from '../domain/mergeBatch.ts';
import { parseChanges } from '../domain/parseChanges.ts';
import { getBatchKey, type StoredBatch } from './batchStore.ts';
import { isNameLeaf, type SentId } from './stateStore.ts';

/** Locks that serialize writes. */
export interface WriteLocks {
  /** Runs `work` while nothing else runs for the same list at this instance. */
  readonly withList: <T>(list: number, work: () => Promise<T>) => Promise<T>;
  /**
   * Runs `work` while nothing else runs for the same account, at any instance: it creates or counts its lists.
   * Take this lock before that of a list, never after it: the opposite order can deadlock.
   */
  readonly withAccount: <T>(account: number, work: () => Promise<T>) => Promise<T>;
}

/**
 * Creates the write locks.
 * Without them, batches of one list would block all PostgreSQL connections, and events would lose their order.
 */
export function createWriteLocks({ coordination }: Pick<Database, 'coordination'>): WriteLocks {
  const runSerially = createKeyedQueue();
  return {
    withList: (list, work) => runSerially(`list ${list}`, work),
    withAccount: (account, work) =>
      runSerially(`account ${account}`, () => coordination.runAlone(`shopping ${account}`, work)),
  };
}

type Request = RequestOf<typeof modifyshoplist>;
type Answer = AnswerOf<typeof modifyshoplist>;
type Event = EventInputOf<typeof shoplistChanges>;

export const LIST_GONE_MESSAGE = 'This list was deleted or is no longer shared with you';
export const TOO_MANY_LISTS_MESSAGE = `You have the maximum of ${MAX_LISTS} lists. Delete or leave one first`;

/** Sender of a batch. Batches of plain clients have no number and are applied every time they arrive. */
interface Sender {
  readonly account: number;
  /** Client id for the merge; contains the account, so that accounts don't collide. */
  readonly client: string;
  /** Undefined for a plain client. */
  readonly sync: { readonly client: string; readonly seq: number; readonly base: number } | undefined;
}

const getSender = (account: number, { client, seq, base }: Request): Sender =>
  client === undefined || seq === undefined
    ? { account, client: `${account}`, sync: undefined }
    : { account, client: `${account}.${client}`, sync: { client, seq, base: base ?? 0 } };

/** Stored result of a batch: its answer, or the refusal. */
type StoredOutcome = { readonly answer: Answer } | { readonly refused: string; readonly code?: string };

// Only `applyBatch` writes this JSON.
const parseOutcome = ({ answer }: Pick<StoredBatch, 'answer'>): StoredOutcome => JSON.parse(answer) as StoredOutcome;
/** Returns the message of a refused batch; undefined if it was accepted. */
export function findRefusal(batch: Pick<StoredBatch, 'answer'>): string | undefined {
  const outcome = parseOutcome(batch);
  return 'refused' in outcome ? outcome.refused : undefined;
}

/** Clamps client timestamps to [0, now], so that a skewed clock can't win indefinitely. */
function getChangeTime(
  { age, timesent }: Request,
  { sync }: Sender,
  { path, now }: { path: string; now: number },
): number {
  const claimedTime = sync ? now - (age && Object.hasOwn(age, path) ? (age[path] ?? 0) : 0) : timesent * 1000;
  return Math.floor(Math.min(now, Math.max(0, claimedTime)));
}

function toBatch(request: Request, sender: Sender, state: ListState, now: number): Batch {
  const { inc, linked } = request;
  const { sync } = sender;
  const parsedChanges = parseChanges(request.changes, sync ? { inc, linked: linked ?? {} } : {});
  return {
    client: sender.client,
    base: sync && Math.min(sync.base, state.revision),
    changes: parsedChanges.map(({ change, path }) => ({ change, time: getChangeTime(request, sender, { path, now }) })),
  };
}

/** A batch that waits for the write lock of its list. */
interface QueuedBatch {
  readonly account: number;
  readonly request: Request;
  readonly deferredAnswer: PromiseWithResolvers<Answer>;
}
const MAX_BATCHES_PER_COMMIT = 50;
const MAX_STALE_RETRIES = 20;
const MAX_RETRY_DELAY_MS = 20;

/** Result of one batch; other batches of the same transaction do not depend on it. */
type BatchResult = { readonly answer: Answer } | { readonly error: unknown };

function toBatchResult(work: () => Answer): BatchResult {
  try {
    return { answer: work() };
  } catch (error) {
    return { error };
  }
}

/** Returns the part of a result to store. Faults are not stored: a retry may succeed. */
function toStoredOutcome(result: BatchResult): StoredOutcome | undefined {
  if ('answer' in result) return result;
  return result.error instanceof Refusal ? { refused: result.error.message, code: result.error.code } : undefined;
}

/** A list to which batches are applied in memory, before everything is written in one transaction. */
interface PendingList {
  readonly list: number;
  readonly before: ListState;
  state: ListState;
  readonly writes: Map<string, Leaf>;
  readonly ids: SentId[];
  /** Last batch of each client, including those of this transaction. */
  readonly last: Map<string, StoredBatch>;
  readonly newBatches: Map<string, StoredBatch>;
  readonly events: Omit<Event, 'id'>[];
}

interface CommitInput {
  readonly pendingList: PendingList;
  /** Accounts that share the list. */
  readonly members: readonly number[];
  readonly isNewList: boolean;
  readonly time: number;
}

/** Data that was read before the transaction has changed: the transaction is rolled back and tried again. */
class StaleReadError extends Error {
  override readonly name = 'StaleReadError';
}

/** Returns the answer to a repeated batch: the stored one if it is the last batch, otherwise one without changes. */
function getRepeatedAnswer(last: StoredBatch, seq: number, revision: number): Answer {
  if (seq < last.seq) return { changes: [], changed: false, revision, ids: {} };
  const outcome = parseOutcome(last);
  if ('refused' in outcome) throw new Refusal(outcome.code ?? UNKNOWN_CODE, outcome.refused);
  return outcome.answer;
}

/** Creates the handler that changes lists and notifies their members. */
export function createModifyHandler({ database, realtime, now }: ServerContext, stores: Stores) {
  const { lists, states, batches, locks } = stores;
  const queuedByList = new Map<number, QueuedBatch[]>();

  async function createPendingList(
    list: number,
    state: ListState,
    { group, tx }: { readonly group: readonly QueuedBatch[]; readonly tx?: Transaction<unknown> },
  ): Promise<PendingList> {
    const clients = group.flatMap(({ account, request }) => getSender(account, request).sync?.client ?? []);
    const accounts = group.map(({ account }) => account);
    const last = new Map((await batches.listLast(accounts, clients, tx)).map((batch) => [getBatchKey(batch), batch]));
    return { list, before: state, state, writes: new Map(), ids: [], last, newBatches: new Map(), events: [] };
  }

  /** @throws Refusal if the batch is invalid; then nothing is changed. */
  function applyRequest(pendingList: PendingList, sender: Sender, request: Request, time: number): Answer {
    const { sync, client } = sender;
    const before = pendingList.state;
    const outcome = mergeBatch(before, toBatch(request, sender, before, time));
    const changed = outcome.state !== before;
    const { revision } = outcome.state;
    const visibleList = states.getVisibleListAfter(before, outcome);
    const wireChanges = toWireChanges(outcome.changes, visibleList) as Answer['changes'];
    const ids = Object.fromEntries(outcome.ids);
    // The merge only emits values that the wire allows.
    const changes = sync ? wireChanges : (toWireAnswer(outcome, visibleList) as Answer['changes']);
    pendingList.state = outcome.state;
    for (const [path, leaf] of outcome.writes) pendingList.writes.set(path, leaf);
    for (const [sent, given] of outcome.ids) pendingList.ids.push({ client, sent, given });
    if (changed)
      pendingList.events.push({
        changes: wireChanges,
        revision,
        ids: sync ? ids : {},
        ...(sync ? { client: sync.client, seq: sync.seq } : {}),
      });
    return { changes, changed, revision, ids, ...(request.id === NEW_LIST ? { id: pendingList.list } : {}) };
  }

  /**
   * Applies a batch of a member.
   * A refusal is stored like an answer, so a retry is refused even if it would succeed by then.
   */
  function applyBatch(
    pendingList: PendingList,
    { account, request }: Omit<QueuedBatch, 'deferredAnswer'>,
    time: number,
  ): BatchResult {
    const sender = getSender(account, request);
    const { sync } = sender;
    if (!sync) return toBatchResult(() => applyRequest(pendingList, sender, request, time));
    const key = getBatchKey({ account, client: sync.client });
    const last = pendingList.last.get(key);
    if (last && request.id !== NEW_LIST && last.list !== request.id)
      return { error: new Refusal('shopping.wrong_client', 'These changes belong to another list. Reload the page') };
    if (last && sync.seq <= last.seq)
      return toBatchResult(() => getRepeatedAnswer(last, sync.seq, pendingList.state.revision));
    const result = toBatchResult(() => applyRequest(pendingList, sender, request, time));
    const stored = toStoredOutcome(result);
    if (!stored) return result;
    const { list } = pendingList;
    const batch = { account, client: sync.client, list, seq: sync.seq, answer: JSON.stringify(stored), time };
    pendingList.last.set(key, batch);
    pendingList.newBatches.set(key, batch);
    return result;
  }

  /**
   * Writes everything that was applied. After the commit, members receive the events in the order of revisions.
   * @throws StaleReadError if the list changed since it was read.
   */
  async function commit(
    { tx, afterCommit }: UnitOfWork,
    { pendingList, members, isNewList, time }: CommitInput,
  ): Promise<void> {
    const { list, before, state, events, newBatches, writes, ids } = pendingList;
    const { revision, nextId } = state;
    const changesNames = [...writes.keys()].some(isNameLeaf);
    const to = {
      revision,
      next_id: nextId,
      ...(changesNames ? { named: revision } : {}),
      ...(events.length > 0 ? { changed: time } : {}),
    };
    if (!(await lists.updateIfUnchanged(tx, list, { from: before.revision, members: members.length, to })))
      throw new StaleReadError();
    if (events.length > 0) await states.write(tx, list, { writes, ids, time });
    if (newBatches.size > 0 && !(await batches.upsert(tx, [...newBatches.values()], { isNewList })))
      throw new StaleReadError();
    afterCommit(() => {
      states.cache(list, state);
      // Each event is serialized once for all rooms.
      const rooms = members.map((account) => `account:${account}` as const);
      for (const event of events) {
        realtime.send(rooms, shoplistChanges, { id: list, ...event });
        if (event.changes.some(([[kind]]) => kind === 'name')) realtime.send(rooms, shoplistsChanged, {});
      }
    });
  }

  /**
   * Applies the batches to the current list and stores the result.
   * Reads happen before the transaction, because a transaction blocks all other writes of this server.
   */
  async function applyGroup(list: number, group: readonly QueuedBatch[]): Promise<readonly BatchResult[]> {
    const listRow = await lists.findForUpdate(list);
    const state = listRow && (await states.getAtRevision(listRow));
    if (!state)
      return group.map((): BatchResult => ({ error: new Refusal('shopping.list_not_found', LIST_GONE_MESSAGE) }));
    const { members } = listRow;
    const time = now().epochMilliseconds;
    const pendingList = await createPendingList(list, state, { group });
    const results = group.map((batch): BatchResult =>
      members.includes(batch.account)
        ? applyBatch(pendingList, batch, time)
        : { error: new Refusal('shopping.list_not_found', LIST_GONE_MESSAGE) },
    );
    if (pendingList.events.length > 0 || pendingList.newBatches.size > 0)
      await database.transaction((work) => commit(work, { pendingList, members, isNewList: false, time }));
    return results;
  }

  /**
   * Retries after stale reads. Other instances write without the lock of this one, and each time one of them succeeds.
   */
  async function applyGroupWithRetries(list: number, group: readonly QueuedBatch[]): Promise<readonly BatchResult[]> {
    for (let retriesLeft = MAX_STALE_RETRIES; ; retriesLeft -= 1) {
      try {
        return await applyGroup(list, group);
      } catch (error) {
        if (!(error instanceof StaleReadError) || retriesLeft === 0) throw error;
      }
      await sleep(Math.random() * MAX_RETRY_DELAY_MS);
    }
  }

  /** Writes all waiting batches of a list in one transaction, so that 20 concurrent shoppers wait for the disk once. */
  async function commitQueued(list: number): Promise<void> {
    const queue = queuedByList.get(list) ?? [];
    const group = queue.splice(0, MAX_BATCHES_PER_COMMIT);
    if (queue.length === 0) queuedByList.delete(list);
    if (group.length === 0) return;
    try {
      for (const [index, result] of (await applyGroupWithRetries(list, group)).entries())
        if ('answer' in result) group[index]?.deferredAnswer.resolve(result.answer);
        else group[index]?.deferredAnswer.reject(result.error);
    } catch (error) {
      for (const { deferredAnswer } of group) deferredAnswer.reject(error);
    }
  }

  async function createList(account: number, request: Request): Promise<Answer> {
    const { sync } = getSender(account, request);
    const time = now().epochMilliseconds;
    return database.transaction(async (work) => {
      const { tx } = work;
      const [last] = sync ? await batches.listLast([account], [sync.client], tx) : [];
      if (sync && last && sync.seq <= last.seq) return getRepeatedAnswer(last, sync.seq, 0);
      if ((await lists.count(tx, account)) >= MAX_LISTS)
        throw new Refusal('shopping.too_many_lists', TOO_MANY_LISTS_MESSAGE);
      const state = createEmptyState(NEW_LIST_NAME);
      const list = await lists.insert(tx, { account, revision: state.revision, nextId: state.nextId, now: time });
      await states.fill(tx, list, state);
      const pendingList = await createPendingList(list, state, { group: [], tx });
      const result = applyBatch(pendingList, { account, request }, time);
      if ('error' in result) throw result.error;
      await commit(work, { pendingList, members: [account], isNewList: true, time });
      work.afterCommit(() => realtime.send(`account:${account}`, shoplistsChanged, {}));
      return result.answer;
    });
  }

  return async (account: number, request: Request): Promise<Answer> => {
    const { id } = request;
    // Serialized per account: a batch that creates a list may be sent twice concurrently.
    if (id === NEW_LIST) return locks.withAccount(account, () => createList(account, request));
    const deferredAnswer = Promise.withResolvers<Answer>();
    const queue = queuedByList.get(id) ?? [];
    queuedByList.set(id, queue);
    queue.push({ account, request, deferredAnswer });
    // An earlier group may have handled this batch.
    // `Promise.all` observes its rejection, which would otherwise be unhandled.
    const [answer] = await Promise.all([deferredAnswer.promise, locks.withList(id, () => commitQueued(id))]);
    return answer;
  };
}
