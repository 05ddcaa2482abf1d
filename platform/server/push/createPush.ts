import { createHash } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import { HOUR_SECONDS } from '#platform/contract/duration.ts';
import { pushkey, pushsubscribe, pushtest, pushunsubscribe } from '#platform/contract/push.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Database } from '../database/database.ts';
import { type Egress, EgressRefusal } from '../egress/egress.ts';
import { handle, type Handler } from '../tool.ts';
import type { Push, PushMessage } from './push.ts';
import { type Subscription, createSubscriptionStore } from './subscriptionStore.ts';
import { hasValidKeys, encryptMessage, loadOrCreateVapidKey, type VapidKey } from './webPush.ts';

/** Push services accept 4 KB, including encryption. */
const MAX_MESSAGE_BYTES = 3072;

const encoder = new TextEncoder();

/** Serializes a message for the service worker. */
const encodeMessage = ({ title, body, path, tag }: PushMessage): Uint8Array =>
  encoder.encode(JSON.stringify({ title, body, path, tag }));

function truncate(text: string, characters: number): string {
  const codePoints = Array.from(text);
  return codePoints.length <= characters ? text : `${codePoints.slice(0, characters).join('')}…`;
}

/** Serializes a message to at most 3 KB. Longer bodies are cut. */
export function serializeMessage(message: PushMessage): Uint8Array {
  const title = truncate(message.title, 200);
  for (
    let maxCharacters = Array.from(message.body).length;
    maxCharacters > 0;
    maxCharacters = Math.floor(maxCharacters * 0.8)
  ) {
    const bytes = encodeMessage({ ...message, title, body: truncate(message.body, maxCharacters) });
    if (bytes.length <= MAX_MESSAGE_BYTES) return bytes;
  }
  return encodeMessage({ ...message, title, body: '' });
}

export interface PushOptions {
  readonly database: Database;
  readonly egress: Egress;
  readonly dataDir: string;
  readonly log: FastifyBaseLogger;
  readonly now: () => Temporal.Instant;
  /** Public addresses of this server, as contact for push services. */
  readonly publicOrigins: readonly string[];
  /** Allows push services over plain HTTP, for tests. */
  readonly isHttpAllowed?: boolean | undefined;
}

/** Push with the handlers of its calls, for the server. */
export interface PushService extends Push {
  readonly handlers: readonly Handler[];
}

/** How long a push service stores messages for a browser that is off. */
const PUSH_TTL_SECONDS = 12 * HOUR_SECONDS;
const MAX_RESPONSE_BYTES = 16 * 1024;
const REQUEST_TIMEOUT_MS = 10_000;
/** Statuses for subscriptions that no longer exist. */
const GONE_STATUSES = [404, 410];

const TEST_MESSAGE: PushMessage = {
  title: 'Pegboard',
  body: 'Notifications work in this browser',
  path: '/',
  tag: 'test',
};

type SendResult = 'sent' | 'failed' | 'ended';

/** Returns whether it is an ASCII address, as browsers send it, which any database can store. */
const isEndpoint = (text: string, isHttpAllowed: boolean): boolean =>
  /^https?:\/\/[\x21-\x7e]+$/.test(text) && URL.canParse(text) && (isHttpAllowed || text.startsWith('https:'));

/** Returns the topic of a tag: 32 characters of base64url. A service stores one pending message per topic. */
const getTopic = (tag: string): string => createHash('sha256').update(tag).digest('base64url').slice(0, 32);

/** Some push services refuse `localhost` as a subject. Without a public address there is no real contact. */
const getSubject = (origins: readonly string[]): string =>
  origins.find((origin) => origin.startsWith('https:')) ?? 'mailto:nobody@pegboard.invalid';

/** Creates Web Push: a key in the data folder, subscriptions by session, and messages encrypted for each browser. */
export function createPush(options: PushOptions): PushService {
  const { database, egress, dataDir, log, now, isHttpAllowed = false } = options;
  const store = createSubscriptionStore(database);
  let vapidKey: Promise<VapidKey> | undefined;
  function getVapidKey(): Promise<VapidKey> {
    vapidKey ??= loadOrCreateVapidKey(dataDir, getSubject(options.publicOrigins)).catch((error: unknown) => {
      vapidKey = undefined; // retry with the next message
      throw error;
    });
    return vapidKey;
  }

  async function sendTo({ endpoint, keys }: Subscription, payload: Uint8Array, topic: string): Promise<SendResult> {
    const { origin, hostname: service } = new URL(endpoint);
    const headers = {
      authorization: (await getVapidKey()).signAuthorization(origin, now()),
      'content-type': 'application/octet-stream',
      'content-encoding': 'aes128gcm',
      ttl: String(PUSH_TTL_SECONDS),
      urgency: 'normal',
      topic,
    };
    const body = encryptMessage(payload, keys);
    try {
      const { status } = await egress.fetch(endpoint, {
        method: 'POST',
        headers,
        body,
        maxBytes: MAX_RESPONSE_BYTES,
        timeoutMs: REQUEST_TIMEOUT_MS,
      });
      if (status >= 200 && status < 300) return 'sent';
      if (GONE_STATUSES.includes(status)) return 'ended';
      log.warn({ service, status }, 'push.notification.refused');
    } catch (error) {
      if (!(error instanceof EgressRefusal)) throw error;
      log.warn({ service, why: error.message }, 'push.notification.failed');
    }
    return 'failed';
  }

  const send: Push['send'] = async (account, message, endpoint) => {
    const payload = serializeMessage(message);
    const topic = getTopic(message.tag);
    const subscriptions = await store.list(account, now().epochMilliseconds);
    const targets =
      endpoint === undefined
        ? subscriptions
        : subscriptions.filter((subscription) => subscription.endpoint === endpoint);
    const results = await Promise.all(
      targets.map(async (subscription) => {
        const result = await sendTo(subscription, payload, topic);
        if (result === 'ended') await store.remove(account, subscription.endpoint);
        return result;
      }),
    );
    const countResults = (expected: SendResult): number => results.filter((result) => result === expected).length;
    return { sent: countResults('sent'), failed: countResults('failed') };
  };

  const handlers: readonly Handler[] = [
    handle(pushkey, async () => ({ key: (await getVapidKey()).publicKey })),
    handle(pushsubscribe, async ({ endpoint, keys }, { account, session }) => {
      if (!isEndpoint(endpoint, isHttpAllowed) || !hasValidKeys(keys))
        throw new Refusal(
          'push.invalid_subscription',
          'The notification subscription of this browser is not valid. Turn its notifications off and on again',
        );
      await store.save(account, session, { endpoint, keys });
    }),
    handle(pushunsubscribe, async ({ endpoint }, { account }) => {
      if (isEndpoint(endpoint, isHttpAllowed)) await store.remove(account, endpoint);
    }),
    handle(pushtest, async ({ endpoint }, { account }) => {
      const { sent, failed } = await send(account, TEST_MESSAGE, endpoint);
      if (sent > 0) return;
      throw new Refusal(
        failed > 0 ? 'push.delivery_failed' : 'push.not_subscribed',
        failed > 0
          ? "The push service of this browser refused the notification, or the server can't reach it. Try again later"
          : 'This browser is no longer subscribed. Turn its notifications off and on again',
      );
    }),
  ];

  return { send, listAccounts: async () => store.listAccounts(now().epochMilliseconds), handlers };
}
