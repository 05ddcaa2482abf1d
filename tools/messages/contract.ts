import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import { HOUR_SECONDS } from '#platform/contract/duration.ts';
import { serverEvent } from '#platform/contract/event.ts';
import { requestedId, id, target } from '#platform/contract/fields.ts';
import { inputType } from '#platform/contract/message.ts';
import { retentionPeriod } from '#platform/contract/retention.ts';

/** Maximum length in Unicode code points: the last 4 KB of a script's output, and a line with its outcome. */
export const MAX_DEVICE_TEXT_LENGTH = 5000;

/** Maximum number of messages that `retrievemessages` returns. */
export const MAX_RETURNED_MESSAGES = 200;

export const messageDetails = z.object({
  id,
  inputtype: inputType,
  /** Seconds since the epoch, by the sender's clock. */
  timesent: z.number(),
  /** Added by Pegboard: seconds since the epoch, by the server's clock. Messages are ordered by it, as by their ids. */
  received: z.optional(z.number()),
  /** The device that wrote it; missing if only the account is known. */
  from: z.optional(target),
});

const newMessageFields = {
  inputtype: z.optional(inputType),
  inputValue: z.optional(z.string()),
  target: z.optional(target),
  timesent: z.optional(z.number()),
  /** Added by Pegboard: the browser that writes the message, with its id from `browser/hello`. */
  from: z.optional(target),
};

const readFields = {
  target: z.optional(target),
  /** Added by Pegboard: the browser that reads. The conversation with a browser is then the one between the two. */
  from: z.optional(target),
  /** Added by Pegboard: only messages after this one; usually there are none. */
  after: z.optional(requestedId),
  /** Added by Pegboard: only messages before this one. */
  before: z.optional(requestedId),
};

/** Refuses a request that lacks one of these fields, both inside `content` and beside the token. */
const requireFields = (...names: readonly string[]) =>
  z.check<Record<string, unknown>>(({ value, issues }) => {
    const fields: Record<string, unknown> = { ...value, ...(value['content'] as object | undefined) };
    for (const name of names)
      if (fields[name] === undefined)
        issues.push({ code: 'custom', path: [name], message: 'is missing', input: value });
  });

/** Accepts both forms of the wire: the fields inside `content`, or beside the token. */
export const sendmessage = call({
  route: 'POST /api/sendmessage',
  summary: 'Sends a message to a device of the account.',
  access: 'account',
  request: z
    .object({ content: z.optional(z.object(newMessageFields)), ...newMessageFields })
    .check(requireFields('inputtype', 'inputValue', 'target', 'timesent')),
});

export const retrievemessages = call({
  route: 'POST /api/retrievemessages',
  summary: 'Returns the newest 200 messages of the conversation with a device, oldest first.',
  access: 'account',
  request: z.object({ content: z.optional(z.object(readFields)), ...readFields }).check(requireFields('target')),
  answer: z.object({
    messages: z.array(z.string()),
    /** Names of the senders at the same indices: the device that wrote the message, or the account. */
    sentby: z.array(z.string()),
    details: z.array(messageDetails),
  }),
});

/**
 * Returns the last message of each conversation, at most 200 characters of it, and the unread count of the reading
 * browser.
 */
export const conversations = call({
  route: 'POST /api/conversations',
  summary: 'Returns the last message and the unread count of each conversation of a browser.',
  access: 'account',
  request: z.object({
    from: z.optional(target),
    /** The last message that was read there, by target; 0 or missing if there is none. */
    read: z.record(target, z.int().check(z.nonnegative())),
  }),
  answer: z.object({
    conversations: z.array(
      z.object({
        target,
        text: z.string(),
        sentby: z.string(),
        details: messageDetails,
        /** At most 100; more messages are not counted. */
        unread: z.int(),
      }),
    ),
  }),
});

/**
 * A message from a device: a script's result (up to 4 KB), or `agent send`. With the same `key` it counts only once.
 */
export const devicemessage = call({
  route: 'POST /api/devicemessage',
  summary: 'Adds a message from a device to its conversation.',
  access: 'device',
  request: z.object({ inputtype: inputType, text: z.string(), key: z.string().check(z.maxLength(100)) }),
});

/**
 * Sent to all pages of the account, and to the computer that a person's message is for: a new message to or from the
 * device `target`.
 */
export const messageArrived = serverEvent({
  name: 'message',
  delivery: 'all',
  data: z.object({ target, text: z.string(), sentby: z.string(), details: messageDetails }),
});

/** This call and the next one, added by Pegboard, delete for all devices of the account. */
export const deletemessages = call({
  route: 'POST /api/deletemessages',
  usesReserve: true,
  summary: 'Deletes messages in conversations of the account.',
  access: 'account',
  request: z.object({ ids: z.array(requestedId).check(z.minLength(1), z.maxLength(200)) }),
});

export const clearmessages = call({
  route: 'POST /api/clearmessages',
  usesReserve: true,
  summary: 'Deletes the whole conversation with a device.',
  access: 'account',
  request: z.object({
    target,
    /** The browser whose conversation with another browser is meant, as in `retrievemessages`. */
    from: z.optional(target),
  }),
});

export const messagesretention = call({
  route: 'GET /api/messagesretention',
  summary: 'Returns how long messages are stored.',
  access: 'account',
  answer: z.object({ period: retentionPeriod }),
});

export const setmessagesretention = call({
  route: 'POST /api/setmessagesretention',
  usesReserve: true,
  summary: 'Sets how long messages are stored. Older messages are deleted.',
  access: 'account',
  request: z.object({ period: retentionPeriod }),
});

/** Sent to all pages of the account: these messages are deleted. */
export const messagesDeleted = serverEvent({
  name: 'messagesdeleted',
  delivery: 'all',
  data: z.object({ ids: z.array(id) }),
});

/** Maximum length in Unicode code points (docs/specification/messages.md section 3.2). */
export const MAX_VISITOR_NAME_LENGTH = 100;
export const MAX_VISITOR_TEXT_LENGTH = 5000;

/**
 * The public form: `message` is the name, `message2` the text. `website` is a honeypot: people do not see that field,
 * and a request that fills it gets the same answer but is not stored.
 */
export const spmessage = call({
  route: 'POST /api/spmessage',
  summary: "Sends a visitor's message to the owner of this server.",
  access: 'anyone',
  request: z.object({
    type: z.literal('toserver'),
    message: z.string(),
    message2: z.string(),
    website: z.optional(z.string()),
  }),
  rates: [{ times: 5, seconds: HOUR_SECONDS }],
});

export const visitorMessage = z.object({
  id,
  name: z.string(),
  text: z.string(),
  /** ISO 8601, UTC. */
  received: z.string(),
});
export type VisitorMessage = z.output<typeof visitorMessage>;

export const visitormessages = call({
  route: 'GET /api/visitormessages',
  summary: "Returns visitors' messages, oldest first. Only for the owner.",
  access: 'account',
  answer: z.object({ visitors: z.array(visitorMessage) }),
});

export const deletevisitormessage = call({
  route: 'POST /api/deletevisitormessage',
  usesReserve: true,
  summary: "Deletes a visitor's message. Only for the owner.",
  access: 'account',
  request: z.object({ id: requestedId }),
});

/** Sent to the owner's pages when a visitor has sent a message. */
export const visitorArrived = serverEvent({ name: 'visitormessage', delivery: 'all', data: visitorMessage });
