import { connect } from 'node:net';
import { createClient, type DBusCall, type SessionBus } from '@homebridge/dbus-native';
import { decodePercent } from '#platform/contract/text.ts';

/** A dead bus never answers. */
const ANSWER_TIMEOUT_MS = 2000;
/** Timeout for a service that the bus starts on demand while a login keeps the computer busy. */
export const START_TIMEOUT_MS = 25_000;

/** The bus itself. */
export const BUS_SERVICE = {
  destination: 'org.freedesktop.DBus',
  path: '/org/freedesktop/DBus',
  interface: 'org.freedesktop.DBus',
} as const;

type Done = (error: unknown, ...values: readonly unknown[]) => void;

/** Connects to a D-Bus bus; undefined if the kind of its address is unknown. */
export function connectBus(busAddress: string): SessionBus | undefined {
  // The client needs a native package for abstract sockets, but Node can connect to them.
  const abstractName = /^unix:abstract=([^,;]+)/.exec(busAddress)?.[1];
  try {
    const bus = createClient(
      abstractName === undefined
        ? { busAddress }
        : { stream: connect(`\0${decodePercent(abstractName) ?? abstractName}`) },
    );
    // Each call has its own error listener as well. Without any listener an error would be thrown.
    bus.connection.on('error', () => undefined);
    return bus;
  } catch {
    return undefined;
  }
}

/** Registers a listener for the end of the connection. It is called once or twice. */
export function onBusEnd({ connection }: SessionBus, listener: () => void): void {
  connection.on('end', listener);
  // A connection that is reset has no end.
  connection.on('error', listener);
}

/** Sends a request to the bus and waits for its answer. */
async function sendRequest(
  bus: SessionBus,
  send: (done: Done) => void,
  timeoutMs = ANSWER_TIMEOUT_MS,
): Promise<readonly unknown[]> {
  const { readableEnded, destroyed } = bus.connection.stream;
  if (readableEnded || destroyed) throw new Error('the bus has ended');
  const { promise, resolve, reject } = Promise.withResolvers<readonly unknown[]>();
  const fail = (cause: unknown): void => reject(new Error('the bus refused or broke off', { cause }));
  const handleEnd = (): void => reject(new Error('the bus has ended'));
  const timeout = setTimeout(() => reject(new Error('the bus does not answer')), timeoutMs);
  bus.connection.once('error', fail);
  bus.connection.once('end', handleEnd);
  try {
    send((error, ...values) => (error ? fail(error) : resolve(values)));
    return await promise;
  } finally {
    clearTimeout(timeout);
    bus.connection.off('error', fail);
    bus.connection.off('end', handleEnd);
  }
}

/** Returns whether a call failed because it was refused, not because nothing answered. */
export const isRefusedCall = (error: unknown): boolean => error instanceof Error && error.cause !== undefined;

/**
 * Calls a method and returns the first value of its answer.
 * @throws if the bus is dead, does not answer or refuses.
 */
export async function callBus(bus: SessionBus, call: DBusCall, timeoutMs?: number): Promise<unknown> {
  return (await callBusForAll(bus, call, timeoutMs))[0];
}

/**
 * Calls a method and returns all values of its answer.
 * @throws if the bus is dead, does not answer or refuses.
 */
export function callBusForAll(bus: SessionBus, call: DBusCall, timeoutMs?: number): Promise<readonly unknown[]> {
  return sendRequest(bus, (done) => bus.invoke(call, done), timeoutMs);
}

/** A bus stores a rule as often as it is added, up to a limit. */
const rulesByBus = new WeakMap<SessionBus, Set<string>>();

/**
 * Subscribes to the signals that match the rule.
 * @throws if the bus is dead, does not answer or refuses.
 */
export async function matchSignals(bus: SessionBus, rule: string, timeoutMs?: number): Promise<void> {
  const rules = rulesByBus.get(bus) ?? new Set();
  rulesByBus.set(bus, rules);
  if (rules.has(rule)) return;
  await sendRequest(bus, (done) => bus.addMatch(rule, done), timeoutMs);
  rules.add(rule);
}

/** Returns a property of a service. @throws if the bus is dead, does not answer or refuses. */
export async function getBusProperty(
  bus: SessionBus,
  { destination, path, interface: interfaceName }: Pick<DBusCall, 'destination' | 'path' | 'interface'>,
  property: string,
  timeoutMs?: number,
): Promise<unknown> {
  const call = { destination, path, interface: 'org.freedesktop.DBus.Properties', member: 'Get', signature: 'ss' };
  return unwrapVariant(await callBus(bus, { ...call, body: [interfaceName, property] }, timeoutMs));
}

/** Returns the value of a variant as the D-Bus client reads it: its signature, and a list with the value. */
export function unwrapVariant(variant: unknown): unknown {
  return Array.isArray(variant) && Array.isArray(variant[1]) ? (variant[1] as readonly unknown[])[0] : undefined;
}

/** Returns whether a program on the bus has the name. @throws if the bus is dead or does not answer. */
export async function hasNameOwner(bus: SessionBus, name: string, timeoutMs?: number): Promise<boolean> {
  return (
    (await callBus(bus, { ...BUS_SERVICE, member: 'NameHasOwner', signature: 's', body: [name] }, timeoutMs)) === true
  );
}
