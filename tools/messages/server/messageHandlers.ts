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
import { checkDeviceText, keepable, type Message, conversationOf } from '../domain/message.ts';
import { messageStore, type Conversation, type KeptMessage } from './messageStore.ts';

/** The device that wrote a message, as far as it is known. */
export function writerOf({ sender, device, from }: KeptMessage): number | undefined {
  return sender === 'device' ? device : from;
}

/** Who wrote a message, for people and for the wire. */
export function writersOf({ devices, identity }: Pick<ServerContext, 'devices' | 'identity'>) {
  return {
    /** The name of the device that wrote it, or of the account where no device is known (or is there any more). */
    nameOf: async (message: KeptMessage): Promise<string> => {
      const { account } = message;
      const writer = writerOf(message);
      if (writer !== undefined) {
        const device = await devices.getOwned(account, String(writer)).catch((error: unknown) => {
          if (error instanceof Refusal) return undefined; // Removed just now.
          throw error;
        });
        if (device) return device.name;
      }
      return (await identity.findAccount(account))?.name ?? '';
    },
    detailsOf: (message: KeptMessage) => {
      const { id, type, timesent, received } = message;
      const writer = writerOf(message);
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
const COUNTED = 100;

interface OverviewQuery {
  readonly account: number;
  /** The browser that reads. */
  readonly reader: number | undefined;
  /** The last message that it has read, by target. */
  readonly read: Readonly<Record<string, number>>;
}

type Overview = AnswerOf<typeof conversations>['conversations'];

/** The last message of each conversation of a reader, and how many it has not read. */
export async function overviewOf(ground: ServerContext, { account, reader, read }: OverviewQuery): Promise<Overview> {
  const messages = messageStore(ground.database);
  const writers = writersOf(ground);
  const own = await ground.devices.list(account);
  const browsers = new Set(own.filter(({ kind }) => kind === 'browser').map(({ id }) => id));
  const isBrowser = (device: number): boolean => browsers.has(device);

  const last = new Map<number, number>();
  for (const { device, from, id } of await messages.lastIds(account)) {
    const conversation = conversationOf({ device, from }, reader, isBrowser);
    if (conversation !== undefined) last.set(conversation, Math.max(id, last.get(conversation) ?? 0));
  }
  const conversationWith = new Map([...last].map(([device, id]) => [id, device]));

  const found = await messages.byIds(account, [...last.values()]);
  return Promise.all(
    found.map(async (message) => {
      const device = conversationWith.get(message.id) ?? message.device;
      const after = read[String(device)] ?? 0;
      const asked = { account, device, isBrowser: isBrowser(device), reader };
      return {
        target: String(device),
        text: Array.from(message.text).slice(0, MAX_PREVIEW_LENGTH).join(''),
        sentby: await writers.nameOf(message),
        details: writers.detailsOf(message),
        unread: message.id > after ? await messages.countUnread(asked, { limit: COUNTED, after }) : 0,
      };
    }),
  );
}

/** Messages of a conversation that are answered. */
const ANSWERED = 200;

/** What is the same makes the same key; a person's never equals one that a device gave. */
const personsKey = ({ type, text, timesent, from }: Message): string =>
  `person:${createHash('sha256')
    .update(JSON.stringify([type, text, timesent, ...(from === undefined ? [] : [from])]))
    .digest('base64url')}`;

/** Both shapes of the wire are taken: the fields inside `content`, or beside the token. */
const inOne = <Fields extends object>({ content, ...beside }: Fields & { readonly content?: unknown }) =>
  ({ ...beside, ...(content as Partial<Fields> | undefined) }) as Fields;

interface NewMessage {
  readonly inputtype: InputType;
  readonly inputValue: string;
  readonly target: string;
  readonly timesent: number;
  readonly from?: string;
}

/** What is deleted of an account disappears from its open pages. */
export function tellDeleted(
  { realtime }: Pick<ServerContext, 'realtime'>,
  account: number,
  ids: readonly number[],
): void {
  if (ids.length > 0) realtime.send(`account:${account}`, messagesDeleted, { ids: [...ids] });
}

export function calls(ground: ServerContext, retention: Retention): readonly Handler[] {
  const { database, devices, realtime, now } = ground;
  const messages = messageStore(database);
  const writers = writersOf(ground);

  /** The account's own browser that says it writes or reads. */
  const browser = async (account: number, from: string | undefined): Promise<number | undefined> => {
    if (from === undefined) return undefined;
    const device = await devices.getOwned(account, from);
    if (device.kind !== 'browser') throw new Refusal(`${device.name} is no browser`);
    return device.id;
  };

  const keep = async (message: Message, key: string): Promise<void> => {
    const kept = await messages.keep(message, key, now().epochMilliseconds);
    if (!kept) return;
    retention.onInserted(message.account);
    const { account, device, sender } = kept;
    const arrived = {
      target: String(device),
      text: kept.text,
      sentby: await writers.nameOf(kept),
      details: writers.detailsOf(kept),
    };
    realtime.send(`account:${account}`, messageArrived, arrived);
    // The computer shows it; its own messages it knows.
    if (sender === 'person') realtime.send(`device:${device}`, messageArrived, arrived);
    await messages.sweep(account, device);
  };

  const answerOf = async (found: readonly KeptMessage[]) => ({
    messages: found.map(({ text }) => text),
    sentby: await Promise.all(found.map(writers.nameOf)),
    details: found.map(writers.detailsOf),
  });

  return [
    handle(sendmessage, async (request, { account }) => {
      // The contract lets no request pass in which one of these is missing.
      const { inputtype, inputValue, target, timesent, from } = inOne(request) as NewMessage;
      validateMessage(inputValue, target);
      const device = await devices.getOwned(account, target);
      const message: Message = {
        account,
        device: device.id,
        sender: 'person',
        from: await browser(account, from),
        type: inputtype,
        text: keepable(inputValue),
        timesent,
      };
      await keep(message, personsKey(message));
      return {};
    }),
    handle(retrievemessages, async (request, { account }) => {
      const { target = '', from, after, before } = inOne(request);
      const { id, kind } = await devices.getOwned(account, target);
      const reader = await browser(account, from);
      const asked: Conversation = { account, device: id, isBrowser: kind === 'browser', reader };
      return answerOf(await messages.newest(asked, { limit: ANSWERED, after, before }));
    }),
    handle(conversations, async ({ from, read }, { account }) => ({
      conversations: await overviewOf(ground, { account, reader: await browser(account, from), read }),
    })),
    handle(deletemessages, async ({ ids }, { account }) => {
      tellDeleted(ground, account, await messages.remove(account, ids));
      return {};
    }),
    handle(clearmessages, async ({ target, from }, { account }) => {
      const { id, kind } = await devices.getOwned(account, target);
      const reader = await browser(account, from);
      tellDeleted(
        ground,
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
        text: keepable(text),
        timesent: now().epochMilliseconds / 1000,
      };
      await keep(message, `device:${keepable(key)}`);
      return {};
    }),
  ];
}
