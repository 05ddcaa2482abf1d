import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import { serverEvent } from '#platform/contract/event.ts';
import { requestedId, id } from '#platform/contract/fields.ts';

/** The id of a list that is to be made. */
export const NEW_LIST = -1;
/** Accounts that share one list, its owner among them. */
export const MEMBERS_LIMIT = 50;
/** Lists of an account, archived and shared ones among them. */
export const LISTS_LIMIT = 200;
/** Invitations of an account that it has not answered. */
export const INVITATIONS_LIMIT = 50;
/** Of a batch with as many changes as are taken at once, in bytes. */
const BODY_LIMIT = 2 * 1024 * 1024;

/** A value somewhere in the tree of a list: a text, a number, a switch, a pair of colours, a list of type ids, or a whole thing. JSON all the same: `domain/read.ts` says of each place what may stand there. */
const value = z.custom<z.core.util.JSONType>();
/** The list of keys down the tree: `['items', '57', 'name']`. */
const path = z.array(z.string());
const change = z.tuple([path, value]);

export const item = z.object({
  name: z.string(),
  emoji: z.string(),
  defaultquantity: z.int(),
  actualquantity: z.int(),
  state: z.int(),
});
/** `userset` is false for the built-in 'Unsorted', which shows the items linked to no other type. */
export const type = z.object({
  name: z.string(),
  colour: z.tuple([z.string(), z.string()]),
  visualised: z.boolean(),
  userset: z.boolean(),
  /** Ours: smaller ones stand first. */
  order: z.number(),
});
/** A name that can be taken by typing its beginning. `from` are the lists that have it, 0 for the built-in ones. Recent ones first. */
export const globalItem = z.object({ name: z.string(), emoji: z.string(), from: z.array(z.int()) });

/** A random id of whoever sends one batch after the other. */
const client = z.string().check(z.regex(/^[\w-]{8,64}$/));

/** What two changes of one list have in common and the server counts. Ours, all of it: a plain client sends and reads none. */
const counted = {
  /** The list's revision: one more with every batch that was taken. */
  revision: z.int(),
  /** The ids that this client's `new…` ids have become. */
  ids: z.record(z.string(), z.string()),
};

export const getshoplists = call({
  method: 'GET',
  path: '/api/getshoplists',
  summary: 'The lists of the account and the item names it may choose from.',
  access: 'account',
  isLarge: true,
  request: z.object({}),
  answer: z.object({
    data: z.object({
      lists: z.array(
        z.object({
          id,
          name: z.string(),
          /** Ours: put away by this account. */
          archived: z.boolean(),
          /** Ours: the username of its owner, where that is another account. */
          owner: z.optional(z.string()),
          /** Ours: how many accounts share it, this one included. */
          members: z.int(),
        }),
      ),
      globalitems: z.array(globalItem),
      /** Ours: lists that others want to share with this account. */
      invitations: z.array(z.object({ id, name: z.string(), from: z.string() })),
      /** Ours: own lists that can be brought back, the one deleted last first. */
      deleted: z.array(z.object({ id, name: z.string() })),
    }),
  }),
});

export const getshoplist = call({
  method: 'GET',
  path: '/api/getshoplist',
  summary: 'One list, whole.',
  access: 'account',
  isLarge: true,
  request: z.object({
    id: z.pipe(z.coerce.number(), requestedId),
    /** Ours: whose last batch and new ids are wanted. */
    client: z.optional(client),
  }),
  answer: z.object({
    data: z.object({
      id,
      name: z.string(),
      items: z.record(z.string(), item),
      types: z.record(z.string(), type),
      links: z.record(z.string(), z.array(z.string())),
      globalitems: z.array(globalItem),
      ...counted,
      /** Ours: the last batch of `client` that was taken or refused, 0 for none. */
      seq: z.int(),
      /** Ours: the sentence that refused that batch. */
      refused: z.optional(z.string()),
    }),
  }),
});

/**
 * Changes of a list, as a tree with the list's own shape whose leaves are new values; `_REMOVE` takes an item or a type away. `id` -1 makes a
 * list. `timesent` in seconds since the epoch. With `client` and `seq` a batch is answered alike however often it is sent, and the other
 * fields of ours decide which of two changes is the later one; without them `timesent` does (contract.md section 6).
 */
export const modifyshoplist = call({
  method: 'POST',
  path: '/api/modifyshoplist',
  summary: 'Changes a list, or makes one.',
  access: 'account',
  bodyLimit: BODY_LIMIT,
  request: z.object({
    id: z.union([z.literal(NEW_LIST), requestedId]),
    changes: z.record(z.string(), value),
    timesent: z.number(),
    client: z.optional(client),
    /** 1, 2, 3, … of that client. */
    seq: z.optional(z.int().check(z.positive())),
    /** The list's revision that the client had seen as it made these changes. */
    base: z.optional(z.int().check(z.nonnegative())),
    /** Milliseconds since each change was made, by its path with '/' between; 0 where one is left out. */
    age: z.optional(z.record(z.string(), z.number())),
    /** Plus and minus as differences, by path; they count in place of the value in the tree. */
    inc: z.optional(z.record(z.string(), z.int())),
    /** Links made and taken away, by `item/type`; they count in place of the whole lists in the tree. */
    linked: z.optional(z.record(z.string(), z.boolean())),
  }),
  answer: z.object({
    /** Of the new list. */
    id: z.optional(id),
    /**
     * For a plain client what it does not have: new things under their ids, and what stands in place of changes that came too late. For a
     * client with `seq` what the event says, where anything changed.
     */
    changes: z.array(change),
    /** Ours: whether the batch changed anything, and `revision` is its own. */
    changed: z.boolean(),
    ...counted,
  }),
});

/** To every page of every member, once for each batch that changed something, in the order of the revisions. */
export const shoplistChanges = serverEvent({
  name: 'shoplistchanges',
  delivery: 'all',
  data: z.object({
    id,
    changes: z.array(change),
    ...counted,
    /** Whose batch it was, so that its sender does not count it twice. */
    client: z.optional(z.string()),
    seq: z.optional(z.int()),
  }),
});

/** The lists of the account are other ones now: made, renamed, shared, left, removed, put away. */
export const shoplistsChanged = serverEvent({ name: 'shoplistschanged', delivery: 'all', data: z.object({}) });

// Ours: sharing, putting away, copies ----------------------------------------------------------------

const ofList = z.object({ id: requestedId });

export const deleteshoplist = call({
  method: 'POST',
  path: '/api/deleteshoplist',
  summary: 'Deletes an own list for everyone who shares it; it can be brought back for 30 days.',
  access: 'account',
  request: ofList,
  answer: z.object({}),
});
export const restoreshoplist = call({
  method: 'POST',
  path: '/api/restoreshoplist',
  summary: 'Brings a deleted list back.',
  access: 'account',
  request: ofList,
  answer: z.object({}),
});
export const archiveshoplist = call({
  method: 'POST',
  path: '/api/archiveshoplist',
  summary: 'Puts a list away, or takes it out again, for this account alone.',
  access: 'account',
  request: z.object({ id: requestedId, archived: z.boolean() }),
  answer: z.object({}),
});
export const copyshoplist = call({
  method: 'POST',
  path: '/api/copyshoplist',
  summary: 'Makes an own list with the same items and types, none of them bought yet.',
  access: 'account',
  request: z.object({ id: requestedId, name: z.string().check(z.maxLength(200)) }),
  answer: z.object({ id }),
});
export const shoplistmembers = call({
  method: 'GET',
  path: '/api/shoplistmembers',
  summary: 'Who shares a list.',
  access: 'account',
  request: z.object({ id: z.pipe(z.coerce.number(), requestedId) }),
  answer: z.object({
    members: z.array(z.object({ username: z.string(), owner: z.boolean(), invited: z.boolean() })),
  }),
});
export const shareshoplist = call({
  method: 'POST',
  path: '/api/shareshoplist',
  summary: 'Invites another account of this server to an own list.',
  access: 'account',
  request: z.object({ id: requestedId, username: z.string().check(z.maxLength(200)) }),
  answer: z.object({}),
  rates: [{ times: 30, seconds: 3600 }],
});
export const answershoplist = call({
  method: 'POST',
  path: '/api/answershoplist',
  summary: 'Takes part in a list that one was invited to, or declines.',
  access: 'account',
  request: z.object({ id: requestedId, join: z.boolean() }),
  answer: z.object({}),
});
/** Without `username` the caller leaves; with it the owner removes that member, or takes the invitation back. */
export const leaveshoplist = call({
  method: 'POST',
  path: '/api/leaveshoplist',
  summary: 'Leaves a shared list, or removes a member from an own one.',
  access: 'account',
  request: z.object({ id: requestedId, username: z.optional(z.string().check(z.maxLength(200))) }),
  answer: z.object({}),
});
