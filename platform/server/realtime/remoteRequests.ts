import { randomUUID } from 'node:crypto';
import { NO_ANSWER_MESSAGE } from '#platform/contract/command.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Timers } from '../schedule/timers.ts';
import type { RequestData, Room } from './realtime.ts';
import type { SocketConnection } from './socketConnection.ts';

/** A request to a socket that another instance holds. */
interface RemoteRequest {
  readonly room: Room;
  readonly event: string;
  readonly data: RequestData;
  readonly timeoutMs: number;
}
interface RemoteResponse {
  readonly id: string;
  readonly answer?: unknown;
  readonly refusal?: { readonly code: string; readonly message: string };
}

export interface RemoteRequestsDeps {
  readonly cluster: Cluster;
  readonly timers: Timers;
  /** Returns the newest connection of this instance in a room. */
  readonly findConnection: (room: Room) => Pick<SocketConnection, 'request'> | undefined;
}

/**
 * Creates the sender of requests to sockets of other instances, and answers those of the others. The instance that
 * holds the socket answers; the others ignore the request.
 */
export function createRemoteRequests({ cluster, timers, findConnection }: RemoteRequestsDeps) {
  const pending = new Map<string, (response: RemoteResponse) => void>();

  async function answer({ id, ...request }: RemoteRequest & { readonly id: string }, from: string): Promise<void> {
    const { room, event, data, timeoutMs } = request;
    const sentAt = cluster.toLocalTime(data.sentAt, from);
    const connection = findConnection(room);
    if (!connection) return;
    let response: RemoteResponse;
    try {
      response = { id, answer: await connection.request(event, { ...data, sentAt }, timeoutMs) };
    } catch (error) {
      const { code, message } =
        error instanceof Refusal ? error : { code: 'device.no_response', message: NO_ANSWER_MESSAGE };
      response = { id, refusal: { code, message } };
    }
    cluster.publish('realtime.response', response);
  }
  cluster.subscribe(
    'realtime.request',
    (request: RemoteRequest & { readonly id: string }, from) => void answer(request, from),
  );
  cluster.subscribe('realtime.response', (response: RemoteResponse) => pending.get(response.id)?.(response));

  /** @throws Refusal of the other instance, or 'device did not answer' after `timeoutMs` */
  return (request: RemoteRequest): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const id = randomUUID();
      const cancelTimeout = timers.schedule(request.timeoutMs, () => {
        pending.delete(id);
        reject(new Refusal('device.no_response', NO_ANSWER_MESSAGE));
      });
      pending.set(id, ({ answer: result, refusal }) => {
        cancelTimeout();
        pending.delete(id);
        if (refusal) reject(new Refusal(refusal.code, refusal.message));
        else resolve(result);
      });
      cluster.publish('realtime.request', { ...request, id });
    });
}
