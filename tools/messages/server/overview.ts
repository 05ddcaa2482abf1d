import type { AnswerOf } from '#platform/contract/call.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import type { conversations } from '../contract.ts';
import { conversationOf } from '../domain/conversation.ts';
import { messageStore } from './messageStore.ts';
import { writersOf } from './writers.ts';

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
export const overviewOf = async (
  ground: ServerContext,
  { account, reader, read }: OverviewQuery,
): Promise<Overview> => {
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
};
