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
  /** 0 to 2 are replicas, 3 is the plain client. */
  readonly who: number;
  readonly what: keyof typeof ACTIONS;
  /** Select the target and the value. */
  readonly one: number;
  readonly other: number;
  /** Milliseconds before this step. */
  readonly wait: number;
}

type Action = (world: SimulatedWorld, step: HistoryStep) => void;
/** Creates an action that changes an item that the user sees. */
const onItem =
  (createChanges: (id: string, step: HistoryStep, visibleList: List) => readonly Change[]): Action =>
  (world, step) => {
    const visibleList = world.seenBy(step.who);
    const id = choose(visibleList.items.keys(), step.one);
    if (id !== undefined) world.change(step.who, createChanges(id, step, visibleList));
  };
const createLinkAction = (isLinked: boolean): Action =>
  onItem((item, { other }, { types }) => {
    const type = choose(types.keys(), other);
    return type === undefined ? [] : [{ kind: 'link', item, type, isLinked }];
  });
/** Creates an action on the connection of a replica. For the plain client, a message arrives or is repeated. */
const onPage =
  (action: (world: SimulatedWorld, page: SimulatedPage, step: HistoryStep) => void): Action =>
  (world, step) => {
    const page = world.pages[step.who];
    if (page) action(world, page, step);
    else if (step.one % 2 === 0)
      for (const text of world.plain.requests.splice(0, 1)) world.plain.answers.push(world.post(text));
    else for (const text of world.plain.requests.slice(0, 1)) world.post(text);
  };

export const ACTIONS = {
  addItem: (world, { who, one, other }) => {
    const id = world.nextId();
    const type = choose(world.seenBy(who).types.keys(), other);
    world.change(who, [
      { kind: 'item', id, field: 'name', value: `Item ${one}` },
      ...(type === undefined ? [] : [{ kind: 'link', item: id, type, isLinked: true } as const]),
    ]);
  },
  addType: (world, { who, one }) =>
    world.change(who, [{ kind: 'type', id: world.nextId(), field: 'name', value: `Type ${one}` }]),
  count: onItem((id, { other }) => [{ kind: 'count', id, by: (other % 7) - 3 || 1 }]),
  setAmount: onItem((id, { other }) => [{ kind: 'item', id, field: 'actual', value: other % 4 }]),
  setName: onItem((id, { other, who }) => [{ kind: 'item', id, field: 'name', value: `Name ${who} ${other}` }]),
  setState: onItem((id, { other }) => [{ kind: 'item', id, field: 'state', value: other % (STATES.question + 1) }]),
  rename: (world, { who, one }) => world.change(who, [{ kind: 'rename', name: `List ${who} ${one}` }]),
  /** Refused with its whole batch. */
  tooLong: (world, { who }) => world.change(who, [{ kind: 'rename', name: 'x'.repeat(LIMITS.name + 1) }]),
  setType: (world, { who, one, other }) => {
    const id = choose(world.seenBy(who).types.keys(), one);
    if (id !== undefined) world.change(who, [{ kind: 'type', id, field: 'order', value: other }]);
  },
  link: createLinkAction(true),
  unlink: createLinkAction(false),
  removeItem: onItem((id) => [{ kind: 'remove', thing: 'item', id }]),
  removeType: (world, { who, one }) => {
    const id = choose(
      [...world.seenBy(who).types.keys()].filter((typeId) => typeId !== UNSORTED_ID),
      one,
    );
    if (id !== undefined) world.change(who, [{ kind: 'remove', thing: 'type', id }]);
  },
  send: onPage((world, page) => world.send(page)),
  arrive: onPage((world, page, { one }) => {
    for (const text of page.requests.splice(one % Math.max(1, page.requests.length), 1)) world.arrive(page, text);
  }),
  /** A request arrives, and stays queued to arrive again. */
  repeat: onPage((world, page, { one }) => {
    const text = page.requests[one % Math.max(1, page.requests.length)];
    if (text !== undefined) world.arrive(page, text);
  }),
  loseRequest: onPage((_, page) => void page.requests.shift()),
  answer: onPage((world, page, { one }) => {
    for (const text of page.answers.splice(one % Math.max(1, page.answers.length), 1)) world.receive(page, text);
  }),
  loseAnswer: onPage((_, page) => void page.answers.shift()),
  event: onPage((_, page, { one, other }) => {
    // Mostly in order.
    const index = one % 3 === 0 ? other % Math.max(1, page.events.length) : 0;
    for (const text of page.events.splice(index, 1))
      page.replica = replicas.receiveEvent(page.replica, JSON.parse(text) as replicas.ListEvent);
  }),
  loseEvent: onPage((_, page) => void page.events.shift()),
  trip: onPage((world, page) => {
    world.send(page);
    for (const text of page.requests.splice(0)) world.arrive(page, text);
    for (const text of page.answers.splice(0)) world.receive(page, text);
  }),
  load: (world, { who }) => world.load(who),
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
