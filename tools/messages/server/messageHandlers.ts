import { createHash } from 'node:crypto';
import type { AnswerOf } from '#platform/contract/call.ts';
import { validateMessage, type InputType } from '#platform/contract/message.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Retention } from '#platform/server/storage/retention.ts';
import { handle, type ServerContext, type Handler } from '#platform/server/tool.ts';
import {
  clearmessages,
  conversations,
  deletemessages,
  devicemessage,
  messageArrived,
  messagesDeleted,
  messagesretention,
  retrievemessages,
  sendmessage,
  setmessagesretention,
} from '../contract.ts';
import { checkDeviceText, toStorableText, type Message, getConversation } from '../domain/message.ts';
import { messageStore, type Conversation, type StoredMessage } from './messageStore.ts';

/** Returns the device that wrote a message, if it is known. */
export function getWriter({ sender, device, from }: StoredMessage): number | undefined {
  return sender === 'device' ? device : from;
}

/** Creates functions that describe the sender of a message. */
export function createWriterLookup({ devices, identity }: Pick<ServerContext, 'devices' | 'identity'>) {
  return {
    /** Returns the name of the device that wrote it, or of the account if no device is known or it was removed. */
    getName: async (message: StoredMessage): Promise<string> => {
      const { account } = message;
      const writer = getWriter(message);
      if (writer !== undefined) {
        const device = await devices.getOwned(account, String(writer)).catch((error: unknown) => {
          if (error instanceof Refusal) return undefined; // just removed
          throw error;
        });
        if (device) return device.name;
      }
      return (await identity.findAccount(account))?.name ?? '';
    },
    getDetails: (message: StoredMessage) => {
      const { id, type, timesent, received } = message;
      const writer = getWriter(message);
      return {
        id,
        inputtype: type,
        timesent,
        received: received / 1000,
        ...(writer === undefined ? {} : { from: String(writer) }),
      };
    },
  };
}

const MAX_PREVIEW_LENGTH = 200;
const MAX_UNREAD_COUNT = 100;

interface OverviewQuery {
  readonly account: number;
  /** The browser that reads. */
  readonly reader: number | undefined;
  /** The last message that it has read, by target. */
  readonly read: Readonly<Record<string, number>>;
}

type Overview = AnswerOf<typeof conversations>['conversations'];

/** Returns the last message of each of a reader's conversations, and the unread count. */
export async function listOverview(
  context: ServerContext,
  { account, reader, read }: OverviewQuery,
): Promise<Overview> {
  const messages = messageStore(context.database);
  const writers = createWriterLookup(context);
  const ownDevices = await context.devices.list(account);
  const browsers = new Set(ownDevices.filter(({ kind }) => kind === 'browser').map(({ id }) => id));
  const isBrowser = (device: number): boolean => browsers.has(device);

  const last = new Map<number, number>();
  for (const { device, from, id } of await messages.listLastIds(account)) {
    const conversation = getConversation({ device, from }, reader, isBrowser);
    if (conversation !== undefined) last.set(conversation, Math.max(id, last.get(conversation) ?? 0));
  }
  const conversationWith = new Map([...last].map(([device, id]) => [id, device]));

  const lastMessages = await messages.listByIds(account, [...last.values()]);
  return Promise.all(
    lastMessages.map(async (message) => {
      const device = conversationWith.get(message.id) ?? message.device;
      const after = read[String(device)] ?? 0;
      const conversation = { account, device, isBrowser: isBrowser(device), reader };
      return {
        target: String(device),
        text: Array.from(message.text).slice(0, MAX_PREVIEW_LENGTH).join(''),
        sentby: await writers.getName(message),
        details: writers.getDetails(message),
        unread: message.id > after ? await messages.countUnread(conversation, { limit: MAX_UNREAD_COUNT, after }) : 0,
      };
    }),
  );
}

/** Maximum number of messages in an answer. */
const MAX_ANSWERED_MESSAGES = 200;

/** Returns an idempotency key for a person's message. It never equals a key that a device chose. */
const createPersonKey = ({ type, text, timesent, from }: Message): string =>
  `person:${createHash('sha256')
    .update(JSON.stringify([type, text, timesent, ...(from === undefined ? [] : [from])]))
    .digest('base64url')}`;

/** Accepts both forms of the wire: the fields inside `content`, or beside the token. */
const mergeFields = <Fields extends object>({ content, ...beside }: Fields & { readonly content?: unknown }) =>
  ({ ...beside, ...(content as Partial<Fields> | undefined) }) as Fields;

interface NewMessage {
  readonly inputtype: InputType;
  readonly inputValue: string;
  readonly target: string;
  readonly timesent: number;
  readonly from?: string;
}

/** Notifies the open pages of the account about deleted messages. */
export function publishDeleted(
  { realtime }: Pick<ServerContext, 'realtime'>,
  account: number,
  ids: readonly number[],
): void {
  if (ids.length > 0) realtime.send(`account:${account}`, messagesDeleted, { ids: [...ids] });
}

export function createMessageHandlers(context: ServerContext, retention: Retention): readonly Handler[] {
  const { database, devices, realtime, now } = context;
  const messages = messageStore(database);
  const writers = createWriterLookup(context);

  /** Returns the account's own browser that writes or reads. */
  const browser = async (account: number, from: string | undefined): Promise<number | undefined> => {
    if (from === undefined) return undefined;
    const device = await devices.getOwned(account, from);
    if (device.kind !== 'browser') throw new Refusal('messages.not_a_browser', `${device.name} is not a browser`);
    return device.id;
  };

  const store = async (message: Message, key: string): Promise<void> => {
    const stored = await messages.insert(message, key, now().epochMilliseconds);
    if (!stored) return;
    retention.onInserted(message.account);
    const { account, device, sender } = stored;
    const arrived = {
      target: String(device),
      text: stored.text,
      sentby: await writers.getName(stored),
      details: writers.getDetails(stored),
    };
    realtime.send(`account:${account}`, messageArrived, arrived);
    // The computer shows a person's message; it knows its own ones.
    if (sender === 'person') realtime.send(`device:${device}`, messageArrived, arrived);
    await messages.removeExpired(account, device);
  };

  const createAnswer = async (foundMessages: readonly StoredMessage[]) => ({
    messages: foundMessages.map(({ text }) => text),
    sentby: await Promise.all(foundMessages.map(writers.getName)),
    details: foundMessages.map(writers.getDetails),
  });

  return [
    handle(sendmessage, async (request, { account }) => {
      // The contract refuses requests in which one of these is missing.
      const { inputtype, inputValue, target, timesent, from } = mergeFields(request) as NewMessage;
      validateMessage(inputValue, target);
      const device = await devices.getOwned(account, target);
      const message: Message = {
        account,
        device: device.id,
        sender: 'person',
        from: await browser(account, from),
        type: inputtype,
        text: toStorableText(inputValue),
        timesent,
      };
      await store(message, createPersonKey(message));
      return {};
    }),
    handle(retrievemessages, async (request, { account }) => {
      const { target = '', from, after, before } = mergeFields(request);
      const { id, kind } = await devices.getOwned(account, target);
      const reader = await browser(account, from);
      const conversation: Conversation = { account, device: id, isBrowser: kind === 'browser', reader };
      return createAnswer(await messages.listNewest(conversation, { limit: MAX_ANSWERED_MESSAGES, after, before }));
    }),
    handle(conversations, async ({ from, read }, { account }) => ({
      conversations: await listOverview(context, { account, reader: await browser(account, from), read }),
    })),
    handle(deletemessages, async ({ ids }, { account }) => {
      publishDeleted(context, account, await messages.remove(account, ids));
      return {};
    }),
    handle(clearmessages, async ({ target, from }, { account }) => {
      const { id, kind } = await devices.getOwned(account, target);
      const reader = await browser(account, from);
      publishDeleted(
        context,
        account,
        await messages.clear({ account, device: id, isBrowser: kind === 'browser', reader }),
      );
      return {};
    }),
    handle(messagesretention, async (_, { account }) => ({ period: await retention.get(account) })),
    handle(setmessagesretention, async ({ period }, { account }) => {
      await retention.set(account, period);
      return {};
    }),
    handle(devicemessage, async ({ inputtype, text, key }, { account, device: id }) => {
      checkDeviceText(text);
      const device = await devices.getOwned(account, String(id));
      const message: Message = {
        account,
        device: device.id,
        sender: 'device',
        from: undefined,
        type: inputtype,
        text: toStorableText(text),
        timesent: now().epochMilliseconds / 1000,
      };
      await store(message, `device:${toStorableText(key)}`);
      return {};
    }),
  ];
}
