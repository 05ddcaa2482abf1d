import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import { HOUR_SECONDS } from '#platform/contract/duration.ts';
import { serverEvent } from '#platform/contract/event.ts';
import { requestedId, id } from '#platform/contract/fields.ts';

/** Id in a request that creates a list. */
export const NEW_LIST = -1;
/** Accounts that share one list, including its owner. */
export const MAX_MEMBERS = 50;
/** Lists of an account, including archived and shared ones. */
export const MAX_LISTS = 200;
/** Unanswered invitations of an account. */
export const MAX_INVITATIONS = 50;
/** Enough for a batch with the maximum number of changes. */
const MAX_BODY_BYTES = 2 * 1024 * 1024;

/**
 * A value in the tree of a list: text, number, boolean, pair of colours, list of type ids, or a whole item or type.
 * `sync/domain/parseChanges.ts` validates which value may be at which path.
 */
const value = z.custom<z.core.util.JSONType>();
/** Keys from the root of the tree down: `['items', '57', 'name']`. */
const path = z.array(z.string());
const change = z.tuple([path, value]);

export const item = z.object({
  name: z.string(),
  emoji: z.string(),
  defaultquantity: z.int(),
  actualquantity: z.int(),
  state: z.int(),
});
/** `userset` is false for the built-in type 'Unsorted', which shows the items that are linked to no other type. */
export const type = z.object({
  name: z.string(),
  colour: z.tuple([z.string(), z.string()]),
  visualised: z.boolean(),
  userset: z.boolean(),
  /** Extension of the specification: types are sorted by this, ascending. */
  order: z.number(),
});
/** An item name that is suggested while typing, most recent first. `from`: the lists that use it; 0 means built in. */
export const globalItem = z.object({ name: z.string(), emoji: z.string(), from: z.array(z.int()) });

/** Random id of a sender whose batches are ordered. */
const client = z.string().check(z.regex(/^[\w-]{8,64}$/));

/** Sync fields that answers and events share. Extension of the specification: plain clients don't use them. */
const syncFields = {
  /** Revision of the list; rises by one with every accepted batch. */
  revision: z.int(),
  /** Server ids by this client's `new…` ids. */
  ids: z.record(z.string(), z.string()),
};

export const getshoplists = call({
  route: 'GET /api/getshoplists',
  summary: 'Returns the lists of the account and the known item names.',
  access: 'account',
  isLarge: true,
  answer: z.object({
    data: z.object({
      lists: z.array(
        z.object({
          id,
          name: z.string(),
          /** Extension: archived by this account. */
          archived: z.boolean(),
          /** Extension: username of the owner, if that is another account. */
          owner: z.optional(z.string()),
          /** Extension: number of accounts that share it, including this one. */
          members: z.int(),
        }),
      ),
      globalitems: z.array(globalItem),
      /** Extension: unanswered invitations of this account. */
      invitations: z.array(z.object({ id, name: z.string(), from: z.string() })),
      /** Extension: own deleted lists that can be restored, most recently deleted first. */
      deleted: z.array(z.object({ id, name: z.string() })),
    }),
  }),
});

export const getshoplist = call({
  route: 'GET /api/getshoplist',
  summary: 'Returns one complete list.',
  access: 'account',
  isLarge: true,
  request: z.object({
    id: z.pipe(z.coerce.number(), requestedId),
    /** Extension: return the newest batch and the new ids of this client. */
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
      ...syncFields,
      /** Extension: newest batch of `client` that was accepted or refused; 0 if there is none. */
      seq: z.int(),
      /** Extension: the message with which that batch was refused. */
      refused: z.optional(z.string()),
    }),
  }),
});

/**
 * Changes as a tree in the shape of the list; `_REMOVE` removes an item or type. `timesent`: seconds since the epoch.
 * `client` and `seq` make a batch idempotent; `base` and `age` order it (docs/specification/shopping.md section 4.6).
 */
export const modifyshoplist = call({
  route: 'POST /api/modifyshoplist',
  summary: 'Changes or creates a list.',
  access: 'account',
  bodyLimit: MAX_BODY_BYTES,
  request: z.object({
    id: z.union([z.literal(NEW_LIST), requestedId]),
    changes: z.record(z.string(), value),
    timesent: z.number(),
    client: z.optional(client),
    /** Number of this client's batch, starting at 1. */
    seq: z.optional(z.int().check(z.positive())),
    /** Revision of the list that the client knew when it made these changes. */
    base: z.optional(z.int().check(z.nonnegative())),
    /** Age of each change in milliseconds, by its path joined with '/'; 0 if missing. */
    age: z.optional(z.record(z.string(), z.number())),
    /** Differences of counters, by path; they replace the value in the tree. */
    inc: z.optional(z.record(z.string(), z.int())),
    /** Added (true) and removed (false) links, by `item/type`; they replace the complete lists in the tree. */
    linked: z.optional(z.record(z.string(), z.boolean())),
  }),
  answer: z.object({
    /** Id of the new list. */
    id: z.optional(id),
    /**
     * For a plain client: new things with their ids, and the current values of changes that lost a conflict.
     * For a client with `seq`: the same as the event, if anything changed.
     */
    changes: z.array(change),
    /** Extension: whether the batch changed anything; `revision` is then its own. */
    changed: z.boolean(),
    ...syncFields,
  }),
});

/** Goes to every page of every member, once per batch that changed something, in the order of revisions. */
export const shoplistChanges = serverEvent({
  name: 'shoplistchanges',
  delivery: 'all',
  data: z.object({
    id,
    changes: z.array(change),
    ...syncFields,
    /** Sender of the batch, so that it does not apply its own batch twice. */
    client: z.optional(z.string()),
    seq: z.optional(z.int()),
  }),
});

/** The lists of the account changed: one was created, renamed, shared, left, removed or archived. */
export const shoplistsChanged = serverEvent({ name: 'shoplistschanged', delivery: 'all', data: z.object({}) });

// Extensions of the specification: sharing, archiving, copying

const listRequest = z.object({ id: requestedId });

export const deleteshoplist = call({
  route: 'POST /api/deleteshoplist',
  usesReserve: true,
  summary: 'Deletes a list of the caller for everyone. It can be restored for 30 days.',
  access: 'account',
  request: listRequest,
});
export const restoreshoplist = call({
  route: 'POST /api/restoreshoplist',
  summary: 'Restores a deleted list.',
  access: 'account',
  request: listRequest,
});
export const archiveshoplist = call({
  route: 'POST /api/archiveshoplist',
  summary: 'Archives or unarchives a list for the caller only.',
  access: 'account',
  request: z.object({ id: requestedId, archived: z.boolean() }),
});
export const copyshoplist = call({
  route: 'POST /api/copyshoplist',
  summary: 'Copies a list with its items and types, with nothing bought yet.',
  access: 'account',
  request: z.object({ id: requestedId, name: z.string().check(z.maxLength(200)) }),
  answer: z.object({ id }),
});
export const shoplistmembers = call({
  route: 'GET /api/shoplistmembers',
  summary: 'Returns the members of a list.',
  access: 'account',
  request: z.object({ id: z.pipe(z.coerce.number(), requestedId) }),
  answer: z.object({
    members: z.array(z.object({ username: z.string(), owner: z.boolean(), invited: z.boolean() })),
  }),
});
export const shareshoplist = call({
  route: 'POST /api/shareshoplist',
  summary: 'Invites another account of this server to a list of the caller.',
  access: 'account',
  request: z.object({ id: requestedId, username: z.string().check(z.maxLength(200)) }),
  rates: [{ times: 30, seconds: HOUR_SECONDS }],
});
export const answershoplist = call({
  route: 'POST /api/answershoplist',
  summary: 'Accepts or declines an invitation to a list.',
  access: 'account',
  request: z.object({ id: requestedId, join: z.boolean() }),
});
/** Without `username` the caller leaves the list. With it, the owner removes that member or cancels the invitation. */
export const leaveshoplist = call({
  route: 'POST /api/leaveshoplist',
  usesReserve: true,
  summary: 'Leaves a shared list, or removes a member from a list of the caller.',
  access: 'account',
  request: z.object({ id: requestedId, username: z.optional(z.string().check(z.maxLength(200))) }),
});
