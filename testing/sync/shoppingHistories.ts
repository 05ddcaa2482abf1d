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

const createStartState = (): ListState =>
  mergeBatch(createEmptyState('Groceries'), {
    client: 'maker',
    base: 1,
    changes: [
      ...ITEMS.flatMap((name, index): Change[] => [
        { kind: 'item', id: `new${index}`, field: 'name', value: name },
        { kind: 'item', id: `new${index}`, field: 'actual', value: index === 0 ? 1 : START_AMOUNT },
      ]),
      { kind: 'type', id: 'newa', field: 'name', value: 'Dairy' } as const,
      { kind: 'link', item: 'new0', type: 'newa', isLinked: true } as const,
    ].map((change) => ({ change, time: START })),
  }).state;

const STATE = createStartState();

/** Converts a list to its tree with sorted links. */
export function toComparableList(list: List) {
  const tree = toTree(list);
  return {
    ...tree,
    links: Object.fromEntries(Object.entries(tree.links).map(([id, types]) => [id, types.toSorted()])),
  };
}
const formatTree = (list: List): string => JSON.stringify(toComparableList(list));

/**
 * Simulates one server, three replicas and a plain client.
 * Messages are text and can be late, repeated, reordered or lost.
 */
export function createSimulation() {
  let now = START + 1000;
  let idCount = 0;
  let state = STATE;
  const lastAnswers = new Map<string, { readonly seq: number; readonly answer: string }>();
  const snapshots = new Map([[state.revision, formatTree(toList(state))]]);
  const serverSteps: ServerStep[] = [];
  /** Messages of refused batches, by `client/seq`. */
  const refusals = new Map<string, string>();
  /** Revision of each batch of a replica; the previous one if it changed nothing. */
  const revisionByBatch = new Map<string, number>();

  const createLoadedList = (client: string): replicas.LoadedList => ({
    list: toList(state),
    revision: state.revision,
    seq: lastAnswers.get(client)?.seq ?? 0,
    refused: refusals.get(`${client}/${lastAnswers.get(client)?.seq ?? 0}`),
    ids: Object.fromEntries(
      [...state.ids].flatMap(([key, id]) => (key.startsWith(`${client}/`) ? [[key.slice(client.length + 1), id]] : [])),
    ),
  });
  const pages: readonly SimulatedPage[] = [0, 1, 2].map((clientIndex) => {
    const replica = replicas.createUnloadedReplica(1, `client-${clientIndex}`, {
      name: '',
      items: new Map(),
      types: new Map(),
      links: new Map(),
    });
    return {
      replica: replicas.receiveList(replica, createLoadedList(replica.client)),
      refusals: [],
      requests: [],
      answers: [],
      events: [],
    };
  });
  const plain = { list: toList(state), requests: [] as string[], answers: [] as string[] };

  const getTime = (body: Body, path: string): number =>
    body.client === undefined ? Math.min(now, body.timesent * 1000) : now - Math.max(0, body.age?.[path] ?? 0);

  function applyBatch(body: Body): Answer {
    const client = body.client ?? PLAIN;
    const base = body.client === undefined ? undefined : body.base;
    const readItems = parseChanges(body.changes, { inc: body.inc, linked: body.linked });
    const changes = readItems.map(({ change, path }) => ({ change, time: getTime(body, path) }));
    const previousState = state;
    const outcome = mergeBatch(previousState, { client, base, changes });
    state = outcome.state;
    serverSteps.push({ client, seq: body.seq, base, changes, before: previousState, outcome });
    const list = toList(state);
    const changed = state.revision > previousState.revision;
    const wireChanges = toWireChanges(outcome.changes, list);
    const ids = Object.fromEntries(outcome.ids);
    const { revision } = state;
    if (changed) {
      snapshots.set(revision, formatTree(list));
      const event: replicas.ListEvent = { revision, changes: wireChanges, ids, client: body.client, seq: body.seq };
      for (const page of pages) page.events.push(JSON.stringify(event));
    }
    revisionByBatch.set(`${client}/${body.seq ?? ''}`, revision);
    return { changes: body.client === undefined ? toWireAnswer(outcome, list) : wireChanges, changed, revision, ids };
  }
  function applyOrRefuse(body: Body): Answer {
    try {
      return applyBatch(body);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refusals.set(`${body.client ?? PLAIN}/${body.seq ?? ''}`, error.message);
      return { changes: [], changed: false, revision: state.revision, ids: {}, refusal: error.message };
    }
  }
  /** Handles a request like the server: one batch per client at a time, each with one final answer. */
  function post(text: string): string {
    const body = JSON.parse(text) as Body;
    const lastAnswer = body.client === undefined ? undefined : lastAnswers.get(body.client);
    if (lastAnswer && body.seq === lastAnswer.seq) return lastAnswer.answer;
    if (lastAnswer && (body.seq ?? 0) < lastAnswer.seq)
      return JSON.stringify({ changes: [], changed: false, revision: state.revision, ids: {} });
    const answer = applyOrRefuse(body);
    const answerText = JSON.stringify(answer);
    if (body.client !== undefined && body.seq !== undefined)
      lastAnswers.set(body.client, { seq: body.seq, answer: answerText });
    return answerText;
  }

  const getShownList = (clientIndex: number): List =>
    pages[clientIndex] ? replicas.getVisibleList(pages[clientIndex].replica) : plain.list;
  function send(page: SimulatedPage): void {
    page.replica = replicas.freeze(page.replica);
    const { replica } = page;
    if (replica.frozen) page.requests.push(JSON.stringify(replicas.toRequestBody(replica, replica.frozen, now)));
  }
  function deliverAnswer(page: SimulatedPage, text: string): void {
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
  function deliverRequest(page: SimulatedPage, text: string): void {
    const { seq } = JSON.parse(text) as Body;
    page.answers.push(JSON.stringify([seq, post(text)]));
  }

  function addUserChanges(clientIndex: number, changes: readonly Change[]): void {
    const page = pages[clientIndex];
    if (page) {
      page.replica = replicas.addChanges(page.replica, changes, now);
      return;
    }
    const plainChanges = toPlainChanges(changes, plain.list);
    plain.list = plainChanges.list;
    const { tree } = plainChanges;
    plain.requests.push(JSON.stringify({ changes: tree, timesent: now / 1000 }));
  }
  const nextId = (): string => `new${(idCount += 1)}`;

  const world = {
    pages,
    plain,
    serverSteps,
    refusals,
    snapshots,
    committed: revisionByBatch,
    change: addUserChanges,
    nextId,
    send,
    deliverRequest,
    deliverAnswer,
    getShownList,
    post,
    createLoadedList,
    now: (): number => now,
    state: (): ListState => state,
    load: (clientIndex: number): void => {
      const page = pages[clientIndex];
      if (!page) {
        plain.list = toList(state);
        return;
      }
      const loaded = roundTrip(createLoadedList(page.replica.client));
      const refused = replicas.findRefusal(page.replica, loaded);
      if (refused) page.refusals.push(refused);
      page.replica = replicas.receiveList(page.replica, loaded);
    },
    step: (step: HistoryStep): void => {
      now += step.delayMs;
      ACTIONS[step.action](world, step);
    },
    /** Repairs the connection: everything is sent, and all clients load what they missed. */
    settle: (): void => {
      for (const text of plain.requests.splice(0)) post(text);
      for (const page of pages) {
        for (let attempt = 0; attempt < 3 && replicas.countUnsent(page.replica) > 0; attempt += 1) {
          send(page);
          for (const text of page.requests.splice(0)) deliverRequest(page, text);
          for (const text of page.answers.splice(0)) deliverAnswer(page, text);
          if (page.replica.frozen) world.load(pages.indexOf(page));
        }
      }
      for (const [clientIndex, page] of pages.entries()) {
        for (const text of page.events.splice(0))
          page.replica = replicas.receiveEvent(page.replica, JSON.parse(text) as replicas.ListEvent);
        if (page.replica.revision < state.revision) world.load(clientIndex);
      }
    },
  };
  return world;
}
export type SimulatedWorld = ReturnType<typeof createSimulation>;
