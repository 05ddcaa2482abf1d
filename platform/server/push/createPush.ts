import { createHash } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import { pushkey, pushsubscribe, pushtest, pushunsubscribe } from '#platform/contract/push.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Database } from '../database/database.ts';
import { type Egress, EgressRefusal } from '../egress/egress.ts';
import { handle, type Handler } from '../tool.ts';
import type { Push, PushMessage } from './push.ts';
import { type Subscription, createSubscriptionStore } from './subscriptionStore.ts';
import { areValidKeys, encryptMessage, loadOrCreateVapidKey, type VapidKey } from './webPush.ts';

/** Push services take 4 KB, the encryption around it included. */
const MAX_MESSAGE_BYTES = 3072;

const encoder = new TextEncoder();

/** As the service worker reads it. */
const bytesOf = ({ title, body, path, tag }: PushMessage): Uint8Array =>
  encoder.encode(JSON.stringify({ title, body, path, tag }));

const cut = (text: string, characters: number): string => {
  const all = Array.from(text);
  return all.length <= characters ? text : `${all.slice(0, characters).join('')}…`;
};

/** A message in at most 3 KB: of what is longer the body ends earlier. */
export function serializeMessage(message: PushMessage): Uint8Array {
  const title = cut(message.title, 200);
  for (let most = Array.from(message.body).length; most > 0; most = Math.floor(most * 0.8)) {
    const bytes = bytesOf({ ...message, title, body: cut(message.body, most) });
    if (bytes.length <= MAX_MESSAGE_BYTES) return bytes;
  }
  return bytesOf({ ...message, title, body: '' });
}

export interface PushOptions {
  readonly database: Database;
  readonly egress: Egress;
  readonly dataDir: string;
  readonly log: FastifyBaseLogger;
  readonly now: () => Temporal.Instant;
  /** Where a proxy serves this server: push services may turn to it. */
  readonly publicOrigins: readonly string[];
  /** Push services over plain http; for tests. */
  readonly overHttp?: boolean | undefined;
}

export interface PushService extends Push {
  readonly calls: readonly Handler[];
}

/** So long a push service keeps what a browser that is off did not get. */
const PUSH_TTL_SECONDS = 12 * 3600;
const MAX_ANSWER_BYTES = 16 * 1024;
const TIMEOUT_MS = 10_000;
/** The service says that the browser is gone. */
const GONE_STATUSES = [404, 410];

const TEST: PushMessage = {
  title: 'Pegboard',
  body: 'Notifications reach this browser.',
  path: '/',
  tag: 'test',
};

type SendResult = 'sent' | 'failed' | 'ended';

/** As browsers give it: an address in ASCII, which every database keeps. */
const isEndpoint = (text: string, overHttp: boolean): boolean =>
  /^https?:\/\/[\x21-\x7e]+$/.test(text) && URL.canParse(text) && (overHttp || text.startsWith('https:'));

/** A service keeps one waiting message of a topic: 32 characters of base64url at most. */
const topicOf = (tag: string): string => createHash('sha256').update(tag).digest('base64url').slice(0, 32);

/** Some push services refuse a subject under `localhost`; without a public address nobody can be reached. */
const subjectOf = (origins: readonly string[]): string =>
  origins.find((origin) => origin.startsWith('https:')) ?? 'mailto:nobody@pegboard.invalid';

/** Web Push by this server itself: keys in the data folder, subscriptions by session, each message encrypted for its browser. */
export function createPush(options: PushOptions): PushService {
  const { database, egress, dataDir, log, now, overHttp = false } = options;
  const store = createSubscriptionStore(database);
  let opened: Promise<VapidKey> | undefined;
  const vapid = (): Promise<VapidKey> => {
    opened ??= loadOrCreateVapidKey(dataDir, subjectOf(options.publicOrigins)).catch((error: unknown) => {
      opened = undefined; // the next one tries again
      throw error;
    });
    return opened;
  };

  const sendTo = async ({ endpoint, keys }: Subscription, text: Uint8Array, topic: string): Promise<SendResult> => {
    const { origin, hostname: service } = new URL(endpoint);
    const headers = {
      authorization: (await vapid()).signAuthorization(origin, now()),
      'content-type': 'application/octet-stream',
      'content-encoding': 'aes128gcm',
      ttl: String(PUSH_TTL_SECONDS),
      urgency: 'normal',
      topic,
    };
    const body = encryptMessage(text, keys);
    try {
      const request = { method: 'POST', headers, body, maxBytes: MAX_ANSWER_BYTES, timeoutMs: TIMEOUT_MS } as const;
      const { status } = await egress.fetch(endpoint, request);
      if (status >= 200 && status < 300) return 'sent';
      if (GONE_STATUSES.includes(status)) return 'ended';
      log.warn({ service, status }, 'notification refused by the push service');
    } catch (error) {
      if (!(error instanceof EgressRefusal)) throw error;
      log.warn({ service, why: error.message }, 'notification not sent');
    }
    return 'failed';
  };

  const send: Push['send'] = async (account, message, endpoint) => {
    const text = serializeMessage(message);
    const topic = topicOf(message.tag);
    const all = await store.of(account, now().epochMilliseconds);
    const asked = endpoint === undefined ? all : all.filter((one) => one.endpoint === endpoint);
    const results = await Promise.all(
      asked.map(async (one) => {
        const result = await sendTo(one, text, topic);
        if (result === 'ended') await store.remove(account, one.endpoint);
        return result;
      }),
    );
    const count = (wanted: SendResult): number => results.filter((result) => result === wanted).length;
    return { sent: count('sent'), failed: count('failed') };
  };

  const calls: readonly Handler[] = [
    handle(pushkey, async () => ({ key: (await vapid()).publicKey })),
    handle(pushsubscribe, async ({ endpoint, keys }, { account, session }) => {
      if (!isEndpoint(endpoint, overHttp) || !areValidKeys(keys))
        throw new Refusal('This is no subscription of a browser');
      await store.keep(account, session, { endpoint, keys });
      return {};
    }),
    handle(pushunsubscribe, async ({ endpoint }, { account }) => {
      if (isEndpoint(endpoint, overHttp)) await store.remove(account, endpoint);
      return {};
    }),
    handle(pushtest, async ({ endpoint }, { account }) => {
      const { sent, failed } = await send(account, TEST, endpoint);
      if (sent > 0) return {};
      throw new Refusal(
        failed > 0
          ? "The push service of this browser's maker did not take it, or this server cannot reach it"
          : 'This browser is not subscribed any more: switch its notifications off and on again',
      );
    }),
  ];

  return { send, listAccounts: async () => store.accounts(now().epochMilliseconds), calls };
}
