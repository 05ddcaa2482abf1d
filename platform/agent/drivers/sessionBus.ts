import { createClient, type DBusCall, type SessionBus } from '@homebridge/dbus-native';

/** A bus that is dead never answers. */
const ANSWER_TIMEOUT_MS = 2000;
/** For a service that the bus starts on demand, on a computer that is busy with a login. */
export const START_TIMEOUT_MS = 25_000;

type Done = (error: unknown, value?: unknown) => void;

/** Connects to a D-Bus bus; undefined where its address is of an unknown kind. */
export function connectBus(busAddress: string): SessionBus | undefined {
  try {
    const bus = createClient({ busAddress });
    // Calls listen for errors too; an error without a listener would be thrown.
    bus.connection.on('error', () => undefined);
    return bus;
  } catch {
    return undefined;
  }
}

async function settle(bus: SessionBus, start: (done: Done) => void, timeoutMs = ANSWER_TIMEOUT_MS): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const fail = (cause: unknown): void => reject(new Error('the bus refused or broke off', { cause }));
  const timeout = setTimeout(() => reject(new Error('the bus does not answer')), timeoutMs);
  bus.connection.once('error', fail);
  try {
    start((error, value) => (error ? fail(error) : resolve(value)));
    return await promise;
  } finally {
    clearTimeout(timeout);
    bus.connection.off('error', fail);
  }
}

/** Calls a method and gives the first value of its answer. @throws where the bus is dead, silent or refuses. */
export function callBus(bus: SessionBus, call: DBusCall, timeoutMs?: number): Promise<unknown> {
  return settle(bus, (done) => bus.invoke(call, done), timeoutMs);
}

/** Receives the signals that match this rule from now on. @throws where the bus is dead, silent or refuses. */
export async function matchSignals(bus: SessionBus, rule: string): Promise<void> {
  await settle(bus, (done) => bus.addMatch(rule, done));
}
