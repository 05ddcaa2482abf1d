import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import { serverEvent } from '#platform/contract/event.ts';
import { requestedId, id, target } from '#platform/contract/fields.ts';
import { inputType } from '#platform/contract/message.ts';
import { retentionPeriod } from '#platform/contract/retention.ts';

/** Largest message of a device in Unicode code points: a script's last 4 KB of output and the line that says how it ended. */
export const DEVICE_TEXT_LIMIT = 5000;

export const messageDetails = z.object({
  id,
  inputtype: inputType,
  /** Seconds since the epoch, by the sender's clock. */
  timesent: z.number(),
  /** Ours: seconds since the epoch, by the server's clock. Messages are ordered by it, as by their ids. */
  received: z.optional(z.number()),
  /** The device that wrote it, left out where only the account is known. */
  from: z.optional(target),
});

const wish = {
  inputtype: z.optional(inputType),
  inputValue: z.optional(z.string()),
  target: z.optional(target),
  timesent: z.optional(z.number()),
  /** Ours: the browser that it is written in, as `browser/hello` gave its id. */
  from: z.optional(target),
};

const reading = {
  target: z.optional(target),
  /** Ours: the browser that reads. A browser's conversation is then the one between the two. */
  from: z.optional(target),
  /** Ours: only messages behind this one, which is nothing most of the time. */
  after: z.optional(requestedId),
  /** Ours: only messages before this one. */
  before: z.optional(requestedId),
};

/** Refuses a request that has one of these fields neither inside `content` nor beside the token. */
const needs = (...names: readonly string[]) =>
  z.check<Record<string, unknown>>(({ value, issues }) => {
    const fields: Record<string, unknown> = { ...value, ...(value['content'] as object | undefined) };
    for (const name of names)
      if (fields[name] === undefined)
        issues.push({ code: 'custom', path: [name], message: 'is missing', input: value });
  });

/** Both shapes of the wire are taken: the fields inside `content`, or beside the token. */
export const sendmessage = call({
  method: 'POST',
  path: '/api/sendmessage',
  summary: 'Sends a message to one of the own devices.',
  access: 'account',
  request: z
    .object({ content: z.optional(z.object(wish)), ...wish })
    .check(needs('inputtype', 'inputValue', 'target', 'timesent')),
  answer: z.object({}),
});

export const retrievemessages = call({
  method: 'POST',
  path: '/api/retrievemessages',
  summary: 'The newest 200 messages of the conversation with a device, oldest first.',
  access: 'account',
  request: z.object({ content: z.optional(z.object(reading)), ...reading }).check(needs('target')),
  answer: z.object({
    messages: z.array(z.string()),
    /** Senders' names at the same places: the device that wrote it, or the account. */
    sentby: z.array(z.string()),
    details: z.array(messageDetails),
  }),
});

/** Each conversation's last message, at most 200 characters of it, and how many the reading browser has not read. */
export const conversations = call({
  method: 'POST',
  path: '/api/conversations',
  summary: 'What was said last in each conversation of a browser, and how much of it is unread there.',
  access: 'account',
  request: z.object({
    from: z.optional(target),
    /** The last message that was read there, by target; 0 or left out where none was. */
    read: z.record(target, z.int().check(z.nonnegative())),
  }),
  answer: z.object({
    conversations: z.array(
      z.object({
        target,
        text: z.string(),
        sentby: z.string(),
        details: messageDetails,
        /** At most 100: more are not counted. */
        unread: z.int(),
      }),
    ),
  }),
});

/** The device's own message into its conversation: a script's end (up to 4 KB), or `agent send`. Sent again with the same `key` it counts once. */
export const devicemessage = call({
  method: 'POST',
  path: '/api/devicemessage',
  summary: 'A message from a device into its conversation.',
  access: 'device',
  request: z.object({ inputtype: inputType, text: z.string(), key: z.string().check(z.maxLength(100)) }),
  answer: z.object({}),
});

/** To all pages of the account, and to the computer that a person's message is for: a new message for (or from) the device `target`. */
export const messageArrived = serverEvent({
  name: 'message',
  delivery: 'all',
  data: z.object({ target, text: z.string(), sentby: z.string(), details: messageDetails }),
});

/** Each of these calls of ours deletes for all devices of the account. */
export const deletemessages = call({
  method: 'POST',
  path: '/api/deletemessages',
  summary: 'Deletes messages of any of the own conversations.',
  access: 'account',
  request: z.object({ ids: z.array(requestedId).check(z.minLength(1), z.maxLength(200)) }),
  answer: z.object({}),
});

export const clearmessages = call({
  method: 'POST',
  path: '/api/clearmessages',
  summary: 'Deletes the whole conversation with a device.',
  access: 'account',
  request: z.object({
    target,
    /** The browser whose conversation with another browser it is, as in `retrievemessages`. */
    from: z.optional(target),
  }),
  answer: z.object({}),
});

export const messagesretention = call({
  method: 'GET',
  path: '/api/messagesretention',
  summary: 'How long messages are stored.',
  access: 'account',
  request: z.object({}),
  answer: z.object({ period: retentionPeriod }),
});

export const setmessagesretention = call({
  method: 'POST',
  path: '/api/setmessagesretention',
  summary: 'Sets how long messages are stored; older ones are deleted.',
  access: 'account',
  request: z.object({ period: retentionPeriod }),
  answer: z.object({}),
});

/** To all pages of the account: these messages are deleted. */
export const messagesDeleted = serverEvent({
  name: 'messagesdeleted',
  delivery: 'all',
  data: z.object({ ids: z.array(id) }),
});

// Visitors ------------------------------------------------------------------------------------------

/** Unicode code points (contract.md section 5). */
export const VISITOR_NAME_LIMIT = 100;
export const VISITOR_TEXT_LIMIT = 5000;

/** The public form: `message` is the name, `message2` the text. `website` is a trap: people do not see that field, and what fills it is answered alike and not kept. */
export const spmessage = call({
  method: 'POST',
  path: '/api/spmessage',
  summary: "A visitor's message to the owner of this server.",
  access: 'anyone',
  request: z.object({
    type: z.literal('toserver'),
    message: z.string(),
    message2: z.string(),
    website: z.optional(z.string()),
  }),
  answer: z.object({}),
  rates: [{ times: 5, seconds: 3600 }],
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
  method: 'GET',
  path: '/api/visitormessages',
  summary: "Visitors' messages, oldest first; for the owner alone.",
  access: 'account',
  request: z.object({}),
  answer: z.object({ visitors: z.array(visitorMessage) }),
});

export const deletevisitormessage = call({
  method: 'POST',
  path: '/api/deletevisitormessage',
  summary: "Deletes a visitor's message; for the owner alone.",
  access: 'account',
  request: z.object({ id: requestedId }),
  answer: z.object({}),
});

/** To the owner's pages: a visitor wrote, just now. */
export const visitorArrived = serverEvent({ name: 'visitormessage', delivery: 'all', data: visitorMessage });
