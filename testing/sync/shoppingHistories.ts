import { Refusal } from '#platform/contract/refusal.ts';
import { roundTrip } from '#testing/kits/planning/replicaText.ts';
import type { Change, List } from '#tools/shopping/lists/domain/list.ts';
import { createEmptyState, toList, type ListState } from '#tools/shopping/sync/domain/listState.ts';
import { toTree, toWireAnswer, toWireChanges } from '#tools/shopping/sync/domain/listWire.ts';
import { mergeBatch, type MergeResult } from '#tools/shopping/sync/domain/mergeBatch.ts';
import { parseChanges, type Differences } from '#tools/shopping/sync/domain/parseChanges.ts';
import * as replicas from '#tools/shopping/sync/domain/replica.ts';
import { ACTIONS, type HistoryStep } from './actions.ts';
import { toPlainChanges } from './plain.ts';

/** A step of the server, for tests to check. */
export interface ServerStep {
  readonly client: string;
  readonly seq: number | undefined;
  readonly base: number | undefined;
  readonly changes: readonly { readonly change: Change; readonly time: number }[];
  readonly before: ListState;
  readonly outcome: MergeResult;
}

interface Body {
  readonly changes: Record<string, unknown>;
  readonly timesent: number;
  readonly client?: string;
  readonly seq?: number;
  readonly base?: number;
  readonly age?: Readonly<Record<string, number>>;
  readonly inc?: Differences['inc'];
  readonly linked?: Differences['linked'];
}
type Answer = Omit<replicas.Answer, 'seq'> & { readonly refusal?: string };

/** One browser, and the messages on their way to and from it. */
export interface SimulatedPage {
  replica: replicas.Replica;
  /** Refusals that its user saw. */
  readonly refusals: replicas.RefusedBatch[];
  readonly requests: string[];
  readonly answers: string[];
  readonly events: string[];
}

const START = 1_700_000_000_000;
const PLAIN = 'account-1';
const ITEMS = ['Milk', 'Bread', 'Apples'];
export const START_AMOUNT = 10_000;

const startState = (): ListState =>
  mergeBatch(createEmptyState('Groceries'), {
    client: 'maker',
    base: 1,
    changes: [
      ...ITEMS.flatMap((name, at): Change[] => [
        { kind: 'item', id: `new${at}`, field: 'name', value: name },
        { kind: 'item', id: `new${at}`, field: 'actual', value: at === 0 ? 1 : START_AMOUNT },
      ]),
      { kind: 'type', id: 'newa', field: 'name', value: 'Dairy' } as const,
      { kind: 'link', item: 'new0', type: 'newa', isLinked: true } as const,
    ].map((change) => ({ change, time: START })),
  }).state;

const STATE = startState();

/** Converts a list to its tree with sorted links. */
export function toComparableList(list: List) {
  const tree = toTree(list);
  return {
    ...tree,
    links: Object.fromEntries(Object.entries(tree.links).map(([id, types]) => [id, types.toSorted()])),
  };
}
const treeText = (list: List): string => JSON.stringify(toComparableList(list));

/**
 * Simulates one server, three replicas and a plain client.
 * Messages are text and can be late, repeated, reordered or lost.
 */
export function createSimulation() {
  let now = START + 1000;
  let named = 0;
  let state = STATE;
  const last = new Map<string, { readonly seq: number; readonly answer: string }>();
  const snapshots = new Map([[state.revision, treeText(toList(state))]]);
  const taken: ServerStep[] = [];
  /** Messages of refused batches, by `client/seq`. */
  const refusals = new Map<string, string>();
  /** Revision of each batch of a replica; the previous one if it changed nothing. */
  const at = new Map<string, number>();

  const loadedFor = (client: string): replicas.LoadedList => ({
    list: toList(state),
    revision: state.revision,
    seq: last.get(client)?.seq ?? 0,
    refused: refusals.get(`${client}/${last.get(client)?.seq ?? 0}`),
    ids: Object.fromEntries(
      [...state.ids].flatMap(([key, id]) => (key.startsWith(`${client}/`) ? [[key.slice(client.length + 1), id]] : [])),
    ),
  });
  const pages: readonly SimulatedPage[] = [0, 1, 2].map((which) => {
    const replica = replicas.createUnloadedReplica(1, `client-${which}`, {
      name: '',
      items: new Map(),
      types: new Map(),
      links: new Map(),
    });
    return {
      replica: replicas.receiveList(replica, loadedFor(replica.client)),
      refusals: [],
      requests: [],
      answers: [],
      events: [],
    };
  });
  const plain = { list: toList(state), requests: [] as string[], answers: [] as string[] };

  const getTime = (body: Body, path: string): number =>
    body.client === undefined ? Math.min(now, body.timesent * 1000) : now - Math.max(0, body.age?.[path] ?? 0);

  function take(body: Body): Answer {
    const client = body.client ?? PLAIN;
    const base = body.client === undefined ? undefined : body.base;
    const read = parseChanges(body.changes, { inc: body.inc, linked: body.linked });
    const changes = read.map(({ change, path }) => ({ change, time: getTime(body, path) }));
    const before = state;
    const outcome = mergeBatch(before, { client, base, changes });
    state = outcome.state;
    taken.push({ client, seq: body.seq, base, changes, before, outcome });
    const list = toList(state);
    const changed = state.revision > before.revision;
    const wireChanges = toWireChanges(outcome.changes, list);
    const ids = Object.fromEntries(outcome.ids);
    const { revision } = state;
    if (changed) {
      snapshots.set(revision, treeText(list));
      const event: replicas.ListEvent = { revision, changes: wireChanges, ids, client: body.client, seq: body.seq };
      for (const page of pages) page.events.push(JSON.stringify(event));
    }
    at.set(`${client}/${body.seq ?? ''}`, revision);
    return { changes: body.client === undefined ? toWireAnswer(outcome, list) : wireChanges, changed, revision, ids };
  }
  function takeOrRefuse(body: Body): Answer {
    try {
      return take(body);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refusals.set(`${body.client ?? PLAIN}/${body.seq ?? ''}`, error.message);
      return { changes: [], changed: false, revision: state.revision, ids: {}, refusal: error.message };
    }
  }
  /** Handles a request like the server: one batch per client at a time, each with one final answer. */
  function post(text: string): string {
    const body = JSON.parse(text) as Body;
    const known = body.client === undefined ? undefined : last.get(body.client);
    if (known && body.seq === known.seq) return known.answer;
    if (known && (body.seq ?? 0) < known.seq)
      return JSON.stringify({ changes: [], changed: false, revision: state.revision, ids: {} });
    const answer = takeOrRefuse(body);
    const answerText = JSON.stringify(answer);
    if (body.client !== undefined && body.seq !== undefined)
      last.set(body.client, { seq: body.seq, answer: answerText });
    return answerText;
  }

  const getVisibleList = (who: number): List => (pages[who] ? replicas.getVisibleList(pages[who].replica) : plain.list);
  function send(page: SimulatedPage): void {
    page.replica = replicas.freeze(page.replica);
    const { replica } = page;
    if (replica.frozen) page.requests.push(JSON.stringify(replicas.toRequestBody(replica, replica.frozen, now)));
  }
  function receive(page: SimulatedPage, text: string): void {
    const [seq, answerText] = JSON.parse(text) as [number, string];
    const answer = JSON.parse(answerText) as Answer;
    if (answer.refusal === undefined) {
      page.replica = replicas.receiveAnswer(page.replica, { ...answer, seq });
      return;
    }
    const { frozen } = page.replica;
    if (frozen?.seq === seq) page.refusals.push({ seq, why: answer.refusal, changes: frozen.changes });
    page.replica = replicas.dropRefusedBatch(page.replica, seq);
  }
  function arrive(page: SimulatedPage, text: string): void {
    const { seq } = JSON.parse(text) as Body;
    page.answers.push(JSON.stringify([seq, post(text)]));
  }

  function submitChange(who: number, changes: readonly Change[]): void {
    const page = pages[who];
    if (page) {
      page.replica = replicas.addChanges(page.replica, changes, now);
      return;
    }
    const written = toPlainChanges(changes, plain.list);
    plain.list = written.list;
    const { tree } = written;
    plain.requests.push(JSON.stringify({ changes: tree, timesent: now / 1000 }));
  }
  const nextId = (): string => `new${(named += 1)}`;

  const world = {
    pages,
    plain,
    taken,
    refusals,
    snapshots,
    committed: at,
    change: submitChange,
    nextId,
    send,
    arrive,
    receive,
    seenBy: getVisibleList,
    post,
    loadedFor,
    now: (): number => now,
    state: (): ListState => state,
    load: (who: number): void => {
      const page = pages[who];
      if (!page) {
        plain.list = toList(state);
        return;
      }
      const loaded = roundTrip(loadedFor(page.replica.client));
      const refused = replicas.findRefusal(page.replica, loaded);
      if (refused) page.refusals.push(refused);
      page.replica = replicas.receiveList(page.replica, loaded);
    },
    step: (step: HistoryStep): void => {
      now += step.wait;
      ACTIONS[step.what](world, step);
    },
    /** Repairs the connection: everything is sent, and all clients load what they missed. */
    settle: (): void => {
      for (const text of plain.requests.splice(0)) post(text);
      for (const page of pages) {
        for (let turn = 0; turn < 3 && replicas.countUnsent(page.replica) > 0; turn += 1) {
          send(page);
          for (const text of page.requests.splice(0)) arrive(page, text);
          for (const text of page.answers.splice(0)) receive(page, text);
          if (page.replica.frozen) world.load(pages.indexOf(page));
        }
      }
      for (const [who, page] of pages.entries()) {
        for (const text of page.events.splice(0))
          page.replica = replicas.receiveEvent(page.replica, JSON.parse(text) as replicas.ListEvent);
        if (page.replica.revision < state.revision) world.load(who);
      }
    },
  };
  return world;
}
export type SimulatedWorld = ReturnType<typeof createSimulation>;
