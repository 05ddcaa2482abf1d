import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { DBusMessage, SessionBus } from '@homebridge/dbus-native';
import { callBus, matchSignals, START_TIMEOUT_MS, unwrapVariant } from '../sessionBus.ts';
import { createInputPipe, RemoteInputDeniedError, type RemoteInput } from './remoteInput.ts';

export const PORTAL = {
  destination: 'org.freedesktop.portal.Desktop',
  path: '/org/freedesktop/portal/desktop',
  interface: 'org.freedesktop.portal.RemoteDesktop',
} as const;
const REQUEST_INTERFACE = 'org.freedesktop.portal.Request';
const SESSION_INTERFACE = 'org.freedesktop.portal.Session';
/** Keyboard and pointer. */
const DEVICE_TYPES = 3;
/** The permission is stored until the user withdraws it. */
const PERSIST_UNTIL_REVOKED = 2;
/** How long the dialog may be open. */
const DIALOG_TIMEOUT_MS = 120_000;
const ANSWER_TIMEOUT_MS = 10_000;
/** Responses of the portal. Another one says that it failed. */
const GRANTED = 0;
const DENIED = 1;

type PortalOptions = readonly (readonly [string, readonly [string, unknown]])[];

function findValue(results: unknown, name: string): unknown {
  if (!Array.isArray(results)) return undefined;
  const entry = (results as readonly (readonly [string, unknown])[]).find(([key]) => key === name);
  return entry && unwrapVariant(entry[1]);
}

/** Returns '' before the user has allowed remote input. */
function readToken(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** Sends requests, which the portal answers with a signal. */
function createRequester(bus: SessionBus) {
  return async (
    member: string,
    prefix: { readonly signature: string; readonly body: readonly unknown[] },
    options: PortalOptions,
    timeoutMs: number,
  ): Promise<unknown> => {
    const token = `pegboard_${randomUUID().replaceAll('-', '')}`;
    const path = `/org/freedesktop/portal/desktop/request/${(bus.name ?? '').slice(1).replaceAll('.', '_')}/${token}`;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    promise.catch(() => undefined); // awaited below; a refusal may come before the answer to the call
    function handleMessage({ path: source, interface: interfaceName, member: signal, body = [] }: DBusMessage): void {
      if (source !== path || interfaceName !== REQUEST_INTERFACE || signal !== 'Response') return;
      if (body[0] === GRANTED) resolve(body[1]);
      else if (body[0] === DENIED) reject(new RemoteInputDeniedError());
      else reject(new Error(`the portal refused ${member}`));
    }
    bus.connection.on('message', handleMessage);
    let timeout: NodeJS.Timeout | undefined;
    try {
      const body = [...prefix.body, [['handle_token', ['s', token]], ...options]];
      await callBus(bus, { ...PORTAL, member, signature: `${prefix.signature}a{sv}`, body }, START_TIMEOUT_MS);
      timeout = setTimeout(() => {
        const message = `the portal did not answer ${member}`;
        reject(timeoutMs === DIALOG_TIMEOUT_MS ? new RemoteInputDeniedError(message) : new Error(message));
      }, timeoutMs).unref();
      return await promise;
    } finally {
      clearTimeout(timeout);
      bus.connection.off('message', handleMessage);
    }
  };
}

/**
 * Starts remote input through the desktop's portal. The first time the desktop asks the user; the permission is stored.
 * @param tokenPath path of the file with the stored permission.
 * @throws if there is no portal, or the user refuses.
 */
export async function openPortalInput(bus: SessionBus, tokenPath: string): Promise<RemoteInput> {
  await matchSignals(bus, `type='signal',interface='${REQUEST_INTERFACE}',member='Response'`);
  await matchSignals(bus, `type='signal',interface='${SESSION_INTERFACE}',member='Closed'`);
  const request = createRequester(bus);
  const created = await request(
    'CreateSession',
    { signature: '', body: [] },
    [['session_handle_token', ['s', `pegboard_${randomUUID().replaceAll('-', '')}`]]],
    ANSWER_TIMEOUT_MS,
  );
  const path = String(findValue(created, 'session_handle'));
  const session = { destination: PORTAL.destination, path, interface: SESSION_INTERFACE };
  await using opening = new AsyncDisposableStack();
  // The portal handles each call in a thread of its own, so that the next one can overtake it.
  const pipe = opening.use(createInputPipe({ bus, target: PORTAL, session, endMember: 'Close', maxPendingCalls: 1 }));
  const token = readToken(tokenPath);
  await request(
    'SelectDevices',
    { signature: 'o', body: [path] },
    [
      ['types', ['u', DEVICE_TYPES]],
      ['persist_mode', ['u', PERSIST_UNTIL_REVOKED]],
      ...(token === '' ? [] : [['restore_token', ['s', token]] as const]),
    ],
    ANSWER_TIMEOUT_MS,
  );
  const started = await request('Start', { signature: 'os', body: [path, ''] }, [], DIALOG_TIMEOUT_MS);
  // Each token is valid once.
  const nextToken = findValue(started, 'restore_token');
  if (typeof nextToken === 'string') writeFileSync(tokenPath, nextToken, { mode: 0o600 });
  opening.move();
  const send = (member: string, signature: string, ...body: readonly unknown[]): void =>
    pipe.send({ member, signature: `oa{sv}${signature}`, body: [path, [], ...body] });
  return {
    sendKeysym: (keysym, down) => send('NotifyKeyboardKeysym', 'iu', keysym, down ? 1 : 0),
    sendKeycode: (code, down) => send('NotifyKeyboardKeycode', 'iu', code, down ? 1 : 0),
    movePointer: (dx, dy) => send('NotifyPointerMotion', 'dd', dx, dy),
    sendButton: (code, down) => send('NotifyPointerButton', 'iu', code, down ? 1 : 0),
    turnWheel: (axis, steps) => send('NotifyPointerAxisDiscrete', 'ui', axis, steps),
    isCapsLocked: async () => undefined,
    ...pipe,
  };
}
