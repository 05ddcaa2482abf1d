import { Refusal } from '#platform/contract/refusal.ts';
import {
  ITEM_FIELDS,
  LIMITS,
  NEW_ITEM,
  NEW_TYPE,
  TYPE_FIELDS,
  UNSORTED,
  UNSORTED_ID,
  isNewId,
  type Change,
} from '../../lists/domain/list.ts';
import { counted } from './applyChanges.ts';
import { written } from './orderedWrites.ts';

/**
 * The sync engine (notes, planning.md, 'Shopping planner: the sync'): pure, the server's authority over a list. A list is a map of leaves.
 * Paths, with '/' between: `name`; `items/57` and `types/3` (whether the thing is there); `items/57/actual`, `types/3/colour` (a field);
 * `links/57/3` (whether the two are linked). What was removed keeps its leaves behind, for whoever edits it later without having seen that.
 */
export type LeafPath = string;
export type LeafValue = string | number | boolean | readonly [string, string];

export interface Leaf {
  readonly value: LeafValue;
  /** The list's revision as it got this value. */
  readonly revision: number;
  /** When the change was made, in milliseconds since the epoch of the server's clock; never later than it arrived. */
  readonly time: number;
  /** Who wrote it last by `time`; '' a plain client. */
  readonly client: string;
}

export interface ListState {
  readonly revision: number;
  readonly leaves: ReadonlyMap<LeafPath, Leaf>;
  /** The id that the next new thing is given. */
  readonly nextId: number;
  /** What `new…` ids have become, by `client/new…`. */
  readonly ids: ReadonlyMap<string, string>;
}

/** One batch, read from the wire and found sound; ids are as the client wrote them. */
export interface Batch {
  /** Whose `new…` ids these are; a plain client's are its account's. */
  readonly client: string;
  /** The revision that the client had seen; undefined for a plain client, whose changes are ordered by their time alone. */
  readonly base: number | undefined;
  readonly changes: readonly TimedChange[];
}
export interface TimedChange {
  readonly change: Change;
  /** When it was made, by the server's clock. */
  readonly time: number;
}

/** A leaf as others see it now; undefined where its thing is gone. */
export type LeafChange = readonly [LeafPath, LeafValue | undefined];

export interface Outcome {
  /** The list afterwards: with the next revision where anything was written, else as it was. */
  readonly state: ListState;
  /** What is to be kept, besides what was. */
  readonly writes: ReadonlyMap<LeafPath, Leaf>;
  /** For everyone: what the list shows differently now. */
  readonly changes: readonly LeafChange[];
  /** For the sender alone: what stands in place of changes that came too late. */
  readonly corrections: readonly LeafChange[];
  /** What this batch's `new…` ids have become, known ones among them. */
  readonly ids: ReadonlyMap<string, string>;
}

type ThingKind = 'items' | 'types';
const FIELDS = { items: ITEM_FIELDS, types: TYPE_FIELDS } as const;
const FRESH = { items: NEW_ITEM, types: NEW_TYPE } as const;
const thingPath = (thing: ThingKind, id: string): LeafPath => `${thing}/${id}`;
const linkPath = (item: string, type: string): LeafPath => `links/${item}/${type}`;

const builtIn = (value: LeafValue): Leaf => ({ value, revision: 0, time: 0, client: '' });

/** A list with its name and the built-in type. They are of no time: whoever makes a list may have changed them before the server heard of it. */
export function emptyList(name: string): ListState {
  const unsorted = { ...NEW_TYPE, name: UNSORTED };
  return {
    revision: 1,
    nextId: Number(UNSORTED_ID) + 1,
    ids: new Map(),
    leaves: new Map([
      ['name', builtIn(name)],
      [thingPath('types', UNSORTED_ID), builtIn(true)],
      ...TYPE_FIELDS.map((field) => [`types/${UNSORTED_ID}/${field}`, builtIn(unsorted[field])] as const),
    ]),
  };
}

/** Who writes, and when. */
interface ChangeAuthor {
  /** '' for a plain client. */
  readonly writer: string;
  readonly base: number | undefined;
  readonly time: number;
}

const hasSeen = (leaf: Leaf, { base, writer }: ChangeAuthor): boolean =>
  base !== undefined && (base >= leaf.revision || (writer !== '' && leaf.client === writer));

const wins = (leaf: Leaf | undefined, hand: ChangeAuthor): boolean =>
  leaf === undefined || hasSeen(leaf, hand) || hand.time >= leaf.time;

const same = (one: LeafValue | undefined, other: LeafValue | undefined): boolean =>
  one === other || (Array.isArray(one) && Array.isArray(other) && one.every((value, at) => value === other[at]));

/** How many things of a kind are there. */
const sizeOf = ({ leaves }: ListState, thing: ThingKind): number => {
  const before = `${thing}/`;
  let size = 0;
  for (const [path, { value }] of leaves)
    if (value === true && path.startsWith(before) && !path.includes('/', before.length)) size += 1;
  return size;
};

/** The state while a batch is applied: what was, and what is written over it. */
const draftOf = (state: ListState, { client }: Batch) => {
  const revision = state.revision + 1;
  const writes = new Map<LeafPath, Leaf>();
  const given = new Map<string, string>();
  const counts: Readonly<Record<ThingKind, number>> = { items: LIMITS.items, types: LIMITS.types };
  /** Things more or less than before. */
  const grown = { items: 0, types: 0 };
  /** Counted where anything is made: most batches make nothing. */
  const sizes: { items?: number; types?: number } = {};
  let nextId = state.nextId;
  let made = false;
  const get = (path: LeafPath): Leaf | undefined => writes.get(path) ?? state.leaves.get(path);
  const grow = (thing: ThingKind): void => {
    grown[thing] += 1;
    const before = (sizes[thing] ??= sizeOf(state, thing));
    if (before + grown[thing] > counts[thing])
      throw new Refusal(`A list has at most ${counts[thing].toLocaleString('en')} ${thing}`);
  };
  return {
    get,
    write: (path: LeafPath, value: LeafValue, { writer, time }: ChangeAuthor): void => {
      const before = get(path);
      // Told again, and no later: nothing is news.
      if (before !== undefined && before.time >= time && same(before.value, value)) return;
      writes.set(path, { value, revision, time: Math.max(time, get(path)?.time ?? time), client: writer });
    },
    isThere: (thing: ThingKind, id: string): boolean => get(thingPath(thing, id))?.value === true,
    grow,
    shrink: (thing: ThingKind): void => void (grown[thing] -= 1),
    /** The server's id; undefined for a `new…` one that stands for nothing yet. */
    known: (id: string): string | undefined => {
      if (!isNewId(id)) return id;
      const its = given.get(id) ?? state.ids.get(`${client}/${id}`);
      if (its !== undefined) given.set(id, its);
      return its;
    },
    give: (id: string): string => {
      const its = String(nextId);
      nextId += 1;
      made = true;
      given.set(id, its);
      return its;
    },
    /** Types that an item is linked to. */
    linked: (item: string): readonly string[] => {
      const before = `links/${item}/`;
      const paths = new Set([...state.leaves.keys(), ...writes.keys()].filter((path) => path.startsWith(before)));
      return [...paths].filter((path) => get(path)?.value === true).map((path) => path.slice(before.length));
    },
    writes,
    given,
    done: (): ListState => {
      if (writes.size === 0 && !made) return state;
      const news = new Map([...given].map(([sent, its]) => [`${client}/${sent}`, its]));
      return { revision, nextId, ids: written(state.ids, news), leaves: written(state.leaves, writes) };
    },
  };
};
type StateDraft = ReturnType<typeof draftOf>;

/** One change's turn. */
interface ChangeContext extends ChangeAuthor {
  readonly draft: StateDraft;
  /** Told of what stands in place of the change. A path of a thing stands for all of it. */
  readonly correct: (path: LeafPath) => void;
}

/** The thing's id, made where it is a new one; undefined, and corrected, where it is gone. */
const reach = (turn: ChangeContext, thing: ThingKind, sent: string): string | undefined => {
  const { draft, time, correct } = turn;
  const known = draft.known(sent);
  if (known === undefined) {
    const id = draft.give(sent);
    draft.grow(thing);
    draft.write(thingPath(thing, id), true, turn);
    const fresh: Readonly<Record<string, LeafValue>> = { ...FRESH[thing] };
    for (const field of FIELDS[thing]) draft.write(`${thing}/${id}/${field}`, fresh[field] ?? '', turn);
    return id;
  }
  const path = thingPath(thing, known);
  const there = draft.get(path);
  if (there?.value === true) return known;
  if (there === undefined || hasSeen(there, turn) || time <= there.time) {
    correct(path);
    return undefined;
  }
  draft.grow(thing);
  draft.write(path, true, turn);
  return known;
};

const set = (turn: ChangeContext, path: LeafPath, value: LeafValue): void => {
  if (wins(turn.draft.get(path), turn)) turn.draft.write(path, value, turn);
  else turn.correct(path);
};

const setField = (
  turn: ChangeContext,
  { kind, id: sent, field, value }: Extract<Change, { kind: 'item' | 'type' }>,
): void => {
  const thing = `${kind}s` as const;
  const id = reach(turn, thing, sent);
  if (id !== undefined) set(turn, `${thing}/${id}/${field}`, value);
};

const count = (turn: ChangeContext, sent: string, by: number): void => {
  const { draft, writer } = turn;
  const id = reach(turn, 'items', sent);
  if (id === undefined) return;
  const path = `items/${id}/actual`;
  const leaf = draft.get(path);
  const value = counted(Number(leaf?.value ?? 0), by);
  // It adds to what it had not seen; whoever wrote last stays the one that a later value is measured by.
  draft.write(path, value, { ...turn, writer: leaf === undefined || wins(leaf, turn) ? writer : leaf.client });
};

const remove = (turn: ChangeContext, thing: ThingKind, sent: string): void => {
  const { draft, correct } = turn;
  const id = draft.known(sent);
  if (id === undefined || !draft.isThere(thing, id)) return;
  if (thing === 'types' && id === UNSORTED_ID) throw new Refusal(`'${UNSORTED}' is built in and cannot be removed`);
  const path = thingPath(thing, id);
  const leaves = [path, ...FIELDS[thing].map((field) => `${path}/${field}`)].map((each) => draft.get(each));
  if (!leaves.every((leaf) => wins(leaf, turn))) return correct(path);
  draft.shrink(thing);
  draft.write(path, false, turn);
};

const link = (turn: ChangeContext, item: string, type: string, isLinked: boolean): void => {
  const { draft, correct } = turn;
  const path = linkPath(item, type);
  if (!draft.isThere('items', item)) return correct(thingPath('items', item));
  if (!draft.isThere('types', type)) return correct(thingPath('types', type));
  if (isLinked || draft.get(path) !== undefined) set(turn, path, isLinked);
};

const linkOne = (turn: ChangeContext, sent: Extract<Change, { kind: 'link' }>): void => {
  const [item, type] = [turn.draft.known(sent.item), turn.draft.known(sent.type)];
  if (item !== undefined && type !== undefined) link(turn, item, type, sent.isLinked);
};

/** A whole list of links takes away only what its sender knew of. */
const linkAll = (turn: ChangeContext, sent: Extract<Change, { kind: 'links' }>): void => {
  const { draft, base, time } = turn;
  const item = draft.known(sent.item);
  if (item === undefined) return;
  const wanted = new Set(sent.types.flatMap((type) => draft.known(type) ?? []));
  // Those that are linked already are told with the others, not meant.
  const linked = new Set(draft.isThere('items', item) ? draft.linked(item) : []);
  for (const type of wanted) if (!linked.has(type) || !draft.isThere('types', type)) link(turn, item, type, true);
  for (const type of linked) {
    const leaf = draft.get(linkPath(item, type));
    const knew = leaf && (base === undefined ? time >= leaf.time : hasSeen(leaf, turn));
    if (knew === true && !wanted.has(type)) link(turn, item, type, false);
  }
};

const applyOne = (turn: ChangeContext, change: Change): void => {
  switch (change.kind) {
    case 'rename':
      return set(turn, 'name', change.name);
    case 'item':
    case 'type':
      return setField(turn, change);
    case 'count':
      return count(turn, change.id, change.by);
    case 'remove':
      return remove(turn, `${change.thing}s`, change.id);
    case 'link':
      return linkOne(turn, change);
    case 'links':
      return linkAll(turn, change);
  }
};

/** What a list shows at a path: a field or a link only where its things are there. */
const shown = (state: ListState, path: LeafPath): LeafValue | undefined => {
  const [kind = '', one = '', two] = path.split('/');
  const isThere = (thing: string, id: string): boolean => state.leaves.get(`${thing}/${id}`)?.value === true;
  if (kind === 'links') {
    if (two === undefined || !isThere('items', one) || !isThere('types', two)) return undefined;
    return state.leaves.get(path)?.value === true || undefined;
  }
  if (kind !== 'name' && !isThere(kind, one)) return undefined;
  return state.leaves.get(path)?.value;
};

/** The path itself, and where it is a thing's own all that the list shows of it. */
const unfold = (state: ListState, path: LeafPath): readonly LeafPath[] => {
  const [kind, id, more] = path.split('/');
  if (more !== undefined || id === undefined || state.leaves.get(path)?.value !== true) return [path];
  const fields = FIELDS[kind === 'items' ? 'items' : 'types'].map((field) => `${path}/${field}`);
  const links = [...state.leaves.keys()].filter(
    (each) => each.startsWith('links/') && each.split('/')[kind === 'items' ? 1 : 2] === id,
  );
  return [path, ...fields, ...links];
};

const told = (state: ListState, paths: Iterable<LeafPath>): readonly LeafChange[] => {
  const all = new Set([...paths].flatMap((path) => unfold(state, path)));
  return [...all].map((path) => [path, shown(state, path)]);
};

/**
 * Applies a batch, one change after the other. A change that comes too late is overruled and corrected; the rest of its batch stands.
 * @throws Refusal, and nothing is changed, where the list would grow too large or a built-in type would go.
 */
export function apply(state: ListState, batch: Batch): Outcome {
  const draft = draftOf(state, batch);
  const late = new Set<LeafPath>();
  for (const { change, time } of batch.changes) {
    const writer = batch.base === undefined ? '' : batch.client;
    applyOne({ draft, writer, base: batch.base, time, correct: (path) => void late.add(path) }, change);
  }
  const next = draft.done();
  const changes = told(next, draft.writes.keys()).filter(([path, value]) => !same(value, shown(state, path)));
  return { state: next, writes: draft.writes, changes, corrections: told(next, late), ids: draft.given };
}
