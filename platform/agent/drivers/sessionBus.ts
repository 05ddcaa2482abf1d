import { createClient, type DBusCall, type SessionBus } from '@homebridge/dbus-native';

/** A dead bus never answers. */
const ANSWER_TIMEOUT_MS = 2000;
/** Timeout for a service that the bus starts on demand while a login keeps the computer busy. */
export const START_TIMEOUT_MS = 25_000;

type Done = (error: unknown, value?: unknown) => void;

/** Connects to a D-Bus bus; undefined if the kind of its address is unknown. */
export function connectBus(busAddress: string): SessionBus | undefined {
  try {
    const bus = createClient({ busAddress });
    // Each call has its own error listener as well. Without any listener an error would be thrown.
    bus.connection.on('error', () => undefined);
    return bus;
  } catch {
    return undefined;
  }
}

/** Sends a request to the bus and waits for its answer. */
async function sendRequest(
  bus: SessionBus,
  send: (done: Done) => void,
  timeoutMs = ANSWER_TIMEOUT_MS,
): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const fail = (cause: unknown): void => reject(new Error('the bus refused or broke off', { cause }));
  const timeout = setTimeout(() => reject(new Error('the bus does not answer')), timeoutMs);
  bus.connection.once('error', fail);
  try {
    send((error, value) => (error ? fail(error) : resolve(value)));
    return await promise;
  } finally {
    clearTimeout(timeout);
    bus.connection.off('error', fail);
  }
}

/**
 * Calls a method and returns the first value of its answer.
 * @throws if the bus is dead, does not answer or refuses.
 */
export function callBus(bus: SessionBus, call: DBusCall, timeoutMs?: number): Promise<unknown> {
  return sendRequest(bus, (done) => bus.invoke(call, done), timeoutMs);
}

/**
 * Subscribes to the signals that match the rule.
 * @throws if the bus is dead, does not answer or refuses.
 */
export async function matchSignals(bus: SessionBus, rule: string, timeoutMs?: number): Promise<void> {
  await sendRequest(bus, (done) => bus.addMatch(rule, done), timeoutMs);
}
