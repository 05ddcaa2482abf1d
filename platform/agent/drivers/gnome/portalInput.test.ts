import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DBusCall } from '@homebridge/dbus-native';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createFakeBus } from '#testing/kits/desktop/fakeBus.ts';
import { openPortalInput } from './portalInput.ts';
import { RemoteInputDeniedError } from './remoteInput.ts';

const REQUESTS = ['CreateSession', 'SelectDevices', 'Start'];
const GRANTED = 0;
const DENIED = 1;
const RESULTS = [
  ['session_handle', ['o', ['/session']]],
  ['restore_token', ['s', ['token']]],
];

interface PortalOptions {
  /** How long the portal takes for its first answer. */
  readonly delayMs: number;
  readonly response: number;
}

/** Opens remote input of a portal that sends its response before the answer to the call. */
function openInput({ delayMs, response }: PortalOptions) {
  const tokenPath = join(mkdtempSync(join(tmpdir(), 'pegboard-portal-')), 'token');
  onTestFinished(() => rmSync(join(tokenPath, '..'), { recursive: true }));
  function respond({ body = [] }: DBusCall): void {
    const options = body.at(-1) as readonly (readonly [string, readonly [string, string]])[];
    const token = options.find(([name]) => name === 'handle_token')?.[1][1];
    bus.connection.emit('message', {
      path: `/org/freedesktop/portal/desktop/request/1_1/${token}`,
      interface: 'org.freedesktop.portal.Request',
      member: 'Response',
      body: [response, RESULTS],
    });
  }
  const bus = createFakeBus((call, answer) => {
    if (REQUESTS.includes(call.member)) respond(call);
    setTimeout(() => answer(null), call.member === 'CreateSession' ? delayMs : 0);
  });
  return { opening: openPortalInput(bus, tokenPath), tokenPath };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a portal may start as slowly as a login lets it', async () => {
  const { opening, tokenPath } = openInput({ delayMs: 20_000, response: GRANTED });
  await vi.advanceTimersByTimeAsync(21_000);
  const input = await opening;
  expect(readFileSync(tokenPath, 'utf8')).toBe('token');
  await Promise.all([input[Symbol.asyncDispose](), vi.advanceTimersByTimeAsync(100)]);
});

test('a denial that comes before the answer to the call is a denial', async () => {
  const { opening } = openInput({ delayMs: 1000, response: DENIED });
  await Promise.all([
    expect(opening).rejects.toBeInstanceOf(RemoteInputDeniedError),
    vi.advanceTimersByTimeAsync(2000),
  ]);
});
