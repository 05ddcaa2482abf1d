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
  MAX_RETURNED_MESSAGES,
  messageArrived,
  messagesDeleted,
  messagesretention,
  retrievemessages,
  sendmessage,
  setmessagesretention,
} from '../contract.ts';
import { validateDeviceText, toStorableText, type Message, getConversation } from '../domain/message.ts';
import { createMessageStore, type Conversation, type StoredMessage } from './messageStore.ts';

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

interface ConversationsQuery {
  readonly account: number;
  /** The browser that reads. */
  readonly reader: number | undefined;
  /** Id of the last message that it has read, by target. */
  readonly lastReadIds: Readonly<Record<string, number>>;
}

/** Returns the last message of each of a reader's conversations, and the unread count. */
export async function listConversations(
  context: ServerContext,
  { account, reader, lastReadIds }: ConversationsQuery,
): Promise<AnswerOf<typeof conversations>['conversations']> {
  const messages = createMessageStore(context.database);
  const writers = createWriterLookup(context);
  const devices = await context.devices.list(account);
  const browserIds = new Set(devices.filter(({ kind }) => kind === 'browser').map(({ id }) => id));
  const isBrowser = (device: number): boolean => browserIds.has(device);

  const lastIdByDevice = new Map<number, number>();
  for (const { device, from, id } of await messages.listLastIds(account)) {
    const conversation = getConversation({ device, from }, reader, isBrowser);
    if (conversation !== undefined)
      lastIdByDevice.set(conversation, Math.max(id, lastIdByDevice.get(conversation) ?? 0));
  }
  const deviceByLastId = new Map([...lastIdByDevice].map(([device, id]) => [id, device]));

  const lastMessages = await messages.listByIds(account, [...lastIdByDevice.values()]);
  return Promise.all(
    lastMessages.map(async (message) => {
      const device = deviceByLastId.get(message.id) ?? message.device;
      const after = lastReadIds[String(device)] ?? 0;
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

/** Returns an idempotency key for a person's message. It never equals a key that a device chose. */
const createPersonKey = ({ type, text, timesent, from }: Message): string =>
  `person:${createHash('sha256')
    .update(JSON.stringify([type, text, timesent, ...(from === undefined ? [] : [from])]))
    .digest('base64url')}`;

/** Accepts both forms of the wire: the fields inside `content`, or beside the token. */
const mergeContentFields = <Fields extends object>({ content, ...fields }: Fields & { readonly content?: unknown }) =>
  ({ ...fields, ...(content as Partial<Fields> | undefined) }) as Fields;

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
  const messages = createMessageStore(database);
  const writers = createWriterLookup(context);

  /** Validates that a device is a browser of the account, and returns its id. */
  async function getBrowserId(account: number, from: string | undefined): Promise<number | undefined> {
    if (from === undefined) return undefined;
    const device = await devices.getOwned(account, from);
    if (device.kind !== 'browser') throw new Refusal('messages.not_a_browser', `${device.name} is not a browser`);
    return device.id;
  }

  async function storeMessage(message: Message, key: string): Promise<void> {
    const stored = await messages.insert(message, key, now().epochMilliseconds);
    if (!stored) return;
    retention.onInserted(message.account);
    const { account, device, sender } = stored;
    const event = {
      target: String(device),
      text: stored.text,
      sentby: await writers.getName(stored),
      details: writers.getDetails(stored),
    };
    realtime.send(`account:${account}`, messageArrived, event);
    // The computer shows a person's message. It already knows its own.
    if (sender === 'person') realtime.send(`device:${device}`, messageArrived, event);
    await messages.removeExpired(account, device);
  }

  const toAnswer = async (list: readonly StoredMessage[]) => ({
    messages: list.map(({ text }) => text),
    sentby: await Promise.all(list.map(writers.getName)),
    details: list.map(writers.getDetails),
  });

  return [
    handle(sendmessage, async (request, { account }) => {
      // The contract refuses requests in which one of these is missing.
      const { inputtype, inputValue, target, timesent, from } = mergeContentFields(request) as NewMessage;
      validateMessage(inputValue, target);
      const device = await devices.getOwned(account, target);
      const message: Message = {
        account,
        device: device.id,
        sender: 'person',
        from: await getBrowserId(account, from),
        type: inputtype,
        text: toStorableText(inputValue),
        timesent,
      };
      await storeMessage(message, createPersonKey(message));
    }),
    handle(retrievemessages, async (request, { account }) => {
      const { target = '', from, after, before } = mergeContentFields(request);
      const { id, kind } = await devices.getOwned(account, target);
      const reader = await getBrowserId(account, from);
      const conversation: Conversation = { account, device: id, isBrowser: kind === 'browser', reader };
      return toAnswer(await messages.listNewest(conversation, { limit: MAX_RETURNED_MESSAGES, after, before }));
    }),
    handle(conversations, async ({ from, read }, { account }) => ({
      conversations: await listConversations(context, {
        account,
        reader: await getBrowserId(account, from),
        lastReadIds: read,
      }),
    })),
    handle(deletemessages, async ({ ids }, { account }) => {
      publishDeleted(context, account, await messages.remove(account, ids));
    }),
    handle(clearmessages, async ({ target, from }, { account }) => {
      const { id, kind } = await devices.getOwned(account, target);
      const reader = await getBrowserId(account, from);
      publishDeleted(
        context,
        account,
        await messages.clear({ account, device: id, isBrowser: kind === 'browser', reader }),
      );
    }),
    handle(messagesretention, async (_, { account }) => ({ period: await retention.get(account) })),
    handle(setmessagesretention, async ({ period }, { account }) => {
      await retention.set(account, period);
    }),
    handle(devicemessage, async ({ inputtype, text, key }, { account, device: id }) => {
      validateDeviceText(text);
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
      await storeMessage(message, `device:${toStorableText(key)}`);
    }),
  ];
}
