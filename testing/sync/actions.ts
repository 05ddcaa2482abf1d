import { roundTrip } from '#testing/kits/planning/replicaText.ts';
import { LIMITS, STATES, UNSORTED_ID, type Change, type List } from '#tools/shopping/lists/domain/list.ts';
import * as replicas from '#tools/shopping/sync/domain/replica.ts';
import type { SimulatedPage, SimulatedWorld } from './shoppingHistories.ts';

function choose(from: Iterable<string>, index: number): string | undefined {
  const all = [...from];
  return all[index % Math.max(1, all.length)];
}

/** One action of a user or the network. */
export interface HistoryStep {
  /** Index of the client: 0 to 2 are replicas, 3 is the plain client. */
  readonly client: number;
  readonly action: keyof typeof ACTIONS;
  /** Selects the target, modulo the number of targets. */
  readonly targetIndex: number;
  /** Selects the value. */
  readonly valueIndex: number;
  /** Milliseconds before this step. */
  readonly delayMs: number;
}

type Action = (world: SimulatedWorld, step: HistoryStep) => void;
/** Creates an action that changes an item that the user sees. */
const onItem =
  (createChanges: (id: string, step: HistoryStep, visibleList: List) => readonly Change[]): Action =>
  (world, step) => {
    const visibleList = world.getShownList(step.client);
    const id = choose(visibleList.items.keys(), step.targetIndex);
    if (id !== undefined) world.change(step.client, createChanges(id, step, visibleList));
  };
const createLinkAction = (isLinked: boolean): Action =>
  onItem((item, { valueIndex }, { types }) => {
    const type = choose(types.keys(), valueIndex);
    return type === undefined ? [] : [{ kind: 'link', item, type, isLinked }];
  });
/** Creates an action on the connection of a replica. For the plain client, a message arrives or is repeated. */
const onPage =
  (apply: (world: SimulatedWorld, page: SimulatedPage, step: HistoryStep) => void): Action =>
  (world, step) => {
    const page = world.pages[step.client];
    if (page) apply(world, page, step);
    else if (step.targetIndex % 2 === 0)
      for (const text of world.plain.requests.splice(0, 1)) world.plain.answers.push(world.post(text));
    else for (const text of world.plain.requests.slice(0, 1)) world.post(text);
  };

export const ACTIONS = {
  addItem: (world, { client, targetIndex, valueIndex }) => {
    const id = world.nextId();
    const type = choose(world.getShownList(client).types.keys(), valueIndex);
    world.change(client, [
      { kind: 'item', id, field: 'name', value: `Item ${targetIndex}` },
      ...(type === undefined ? [] : [{ kind: 'link', item: id, type, isLinked: true } as const]),
    ]);
  },
  addType: (world, { client, targetIndex }) =>
    world.change(client, [{ kind: 'type', id: world.nextId(), field: 'name', value: `Type ${targetIndex}` }]),
  count: onItem((id, { valueIndex }) => [{ kind: 'count', id, by: (valueIndex % 7) - 3 || 1 }]),
  setAmount: onItem((id, { valueIndex }) => [{ kind: 'item', id, field: 'actual', value: valueIndex % 4 }]),
  setName: onItem((id, { valueIndex, client }) => [
    { kind: 'item', id, field: 'name', value: `Name ${client} ${valueIndex}` },
  ]),
  setState: onItem((id, { valueIndex }) => [
    { kind: 'item', id, field: 'state', value: valueIndex % (STATES.question + 1) },
  ]),
  rename: (world, { client, targetIndex }) =>
    world.change(client, [{ kind: 'rename', name: `List ${client} ${targetIndex}` }]),
  /** Refused with its whole batch. */
  tooLong: (world, { client }) => world.change(client, [{ kind: 'rename', name: 'x'.repeat(LIMITS.name + 1) }]),
  setType: (world, { client, targetIndex, valueIndex }) => {
    const id = choose(world.getShownList(client).types.keys(), targetIndex);
    if (id !== undefined) world.change(client, [{ kind: 'type', id, field: 'order', value: valueIndex }]);
  },
  link: createLinkAction(true),
  unlink: createLinkAction(false),
  removeItem: onItem((id) => [{ kind: 'remove', thing: 'item', id }]),
  removeType: (world, { client, targetIndex }) => {
    const id = choose(
      [...world.getShownList(client).types.keys()].filter((typeId) => typeId !== UNSORTED_ID),
      targetIndex,
    );
    if (id !== undefined) world.change(client, [{ kind: 'remove', thing: 'type', id }]);
  },
  send: onPage((world, page) => world.send(page)),
  arrive: onPage((world, page, { targetIndex }) => {
    for (const text of page.requests.splice(targetIndex % Math.max(1, page.requests.length), 1))
      world.deliverRequest(page, text);
  }),
  /** A request arrives, and stays queued to arrive again. */
  repeat: onPage((world, page, { targetIndex }) => {
    const text = page.requests[targetIndex % Math.max(1, page.requests.length)];
    if (text !== undefined) world.deliverRequest(page, text);
  }),
  loseRequest: onPage((_, page) => void page.requests.shift()),
  answer: onPage((world, page, { targetIndex }) => {
    for (const text of page.answers.splice(targetIndex % Math.max(1, page.answers.length), 1))
      world.deliverAnswer(page, text);
  }),
  loseAnswer: onPage((_, page) => void page.answers.shift()),
  event: onPage((_, page, { targetIndex, valueIndex }) => {
    // Mostly in order.
    const index = targetIndex % 3 === 0 ? valueIndex % Math.max(1, page.events.length) : 0;
    for (const text of page.events.splice(index, 1))
      page.replica = replicas.receiveEvent(page.replica, JSON.parse(text) as replicas.ListEvent);
  }),
  loseEvent: onPage((_, page) => void page.events.shift()),
  trip: onPage((world, page) => {
    world.send(page);
    for (const text of page.requests.splice(0)) world.deliverRequest(page, text);
    for (const text of page.answers.splice(0)) world.deliverAnswer(page, text);
  }),
  load: (world, { client }) => world.load(client),
  /** Closes the page and opens it again. */
  restart: onPage((_, page) => {
    page.replica = roundTrip(page.replica);
    page.answers.length = 0;
  }),
} satisfies Record<string, Action>;

export const EDITS = [
  'addItem',
  'addType',
  'count',
  'setAmount',
  'setName',
  'setState',
  'rename',
  'setType',
  'link',
  'unlink',
  'removeItem',
  'removeType',
] as const satisfies readonly (keyof typeof ACTIONS)[];
export const NETWORK = [
  'send',
  'arrive',
  'repeat',
  'loseRequest',
  'answer',
  'loseAnswer',
  'event',
  'loseEvent',
  'trip',
  'load',
  'restart',
] as const satisfies readonly (keyof typeof ACTIONS)[];
