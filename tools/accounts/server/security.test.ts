import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { DAY_MS } from '#platform/contract/duration.ts';
import { INVALID_TOKEN_MESSAGE } from '#platform/contract/refusal.ts';
import { log } from '#platform/contract/session.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import { startServer, TEST_PASSWORD, type TestServer, type TestServerOptions } from '#testing/kits/server/server.ts';
import { readJsonFromZip, readZip } from '#testing/kits/server/zip.ts';
import { pairComputer } from '#testing/security/pairComputer.ts';
import { postRaw } from '#testing/security/postRaw.ts';
import { endsessions, exportaccount, securityevents, serverstate } from '../contract.ts';

const WRONG_PASSWORD = 'sesame sesame';
async function logInWithWrongPassword(server: TestServer, username: string): Promise<void> {
  await expect(server.call(log, { username, password: WRONG_PASSWORD })).rejects.toThrow('Wrong username or password');
}
const listEventNames = (events: readonly { readonly event: string }[]): readonly string[] =>
  events.map(({ event }) => event);

/** Starts one instance. Another one saves its events and warnings only seconds later. */
const startInstance = (options: TestServerOptions = {}) => startServer({ ...options, isCluster: false });

test('an account sees only its own security events, newest first', async () => {
  await using server = await startInstance();
  const ada = await server.createAccount('Ada');
  const bob = await server.createAccount('Bob');
  await logInWithWrongPassword(server, 'bob');
  await logInWithWrongPassword(server, 'bob');
  await pairComputer(server.origin, bob, 'Desk');
  await server.call(log, { username: 'Bob', password: TEST_PASSWORD });
  await bob.call(endsessions, {});
  await logInWithWrongPassword(server, 'nobody');
  const { events } = await bob.call(securityevents, {});
  expect(listEventNames(events)).toEqual(['session.revoked', 'device.paired', 'login.failed']);
  expect(events[1]).toMatchObject({ device: 'Desk', address: '127.0.0.1' });
  expect(events[2]).toMatchObject({ times: 2, address: '127.0.0.1' });
  expect(events[2]).not.toHaveProperty('username');
  expect(await bob.call(securityevents, { scope: 'own' })).toEqual({ events });
  expect(await ada.call(securityevents, {})).toEqual({ events: [] });
  const { content } = await bob.call(exportaccount, { password: TEST_PASSWORD });
  expect(readJsonFromZip(readZip(await content.bytes()), 'accounts.json')).toMatchObject({ securityEvents: events });
});

test('only the owner sees the security events of the server and its state', async () => {
  await using server = await startInstance();
  const ada = await server.createAccount('Ada');
  const bob = await server.createAccount('Bob');
  await logInWithWrongPassword(server, 'bob');
  await logInWithWrongPassword(server, 'nobody');
  const refused = await fetch(`${server.origin}/api/serverinfo`, { headers: { origin: 'https://elsewhere.example' } });
  expect(refused.status).toBe(400);
  await expect(bob.call(securityevents, { scope: 'server' })).rejects.toThrow('Only the owner of this server can');
  await expect(bob.call(serverstate, {})).rejects.toThrow('Only the owner of this server can');
  const { events } = await ada.call(securityevents, { scope: 'server' });
  expect(events.map(({ event, username }) => [event, username])).toEqual([
    ['origin.refused', undefined],
    ['login.failed', undefined],
    ['login.failed', 'Bob'],
  ]);
  expect(JSON.stringify(events)).not.toContain(WRONG_PASSWORD);
});

test('visitors and devices see no security events and no server state, and an unknown scope is rejected', async () => {
  await using server = await startInstance();
  const ada = await server.createAccount('Ada');
  const device = await pairComputer(server.origin, ada, 'Desk');
  for (const path of ['/api/securityevents', '/api/serverstate'] as const)
    for (const token of ['', device])
      expect(await postRaw(server.origin, path, { token })).toMatchObject({
        status: 200,
        answer: { message: INVALID_TOKEN_MESSAGE },
      });
  const { status, answer } = await postRaw(server.origin, '/api/securityevents', { token: ada.token, scope: 'all' });
  expect([status, String(answer['message']).split(' ')[0]]).toEqual([400, 'scope:']);
});

test('a throttled login is a security event of the account', async () => {
  await using server = await startInstance();
  const ada = await server.createAccount('Ada');
  for (let count = 0; count < 5; count += 1) await logInWithWrongPassword(server, 'ada');
  const { status } = await postRaw(server.origin, '/api/log', { username: 'ada', password: WRONG_PASSWORD });
  expect(status).toBe(429);
  expect(await ada.call(securityevents, {})).toMatchObject({
    events: [
      { event: 'login.throttled', times: 1 },
      { event: 'login.failed', times: 5 },
    ],
  });
});

test('the state contains version, database, disk and sockets', async () => {
  const now = Temporal.Instant.from('2026-11-21T12:00:00Z');
  const MIB = 1024 * 1024;
  await using server = await startInstance({
    now: () => now,
    disk: { read: async () => 1234 * MIB, reserveBytes: 0 },
    backupIntervalMs: DAY_MS,
  });
  const ada = await server.createAccount('Ada');
  await using _ = await startDevice(server, ada);
  const state = await ada.call(serverstate, {});
  expect(state).toEqual({
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    started: now.toString(),
    database: { kind: 'sqlite', bytes: expect.any(Number) },
    freeBytes: 1234 * MIB,
    devices: 1,
    sockets: 1,
    instances: [
      { name: hostname(), version: state.version, role: 'all', started: now.toString(), isLeader: true, isReady: true },
    ],
    warnings: ['Only 1234 MiB of disk space left. Downloads are paused until you free some space'],
  });
  expect(state.database.bytes).toBeGreaterThan(50_000);
});

test('the owner is warned about an untrusted proxy for a day', async () => {
  let now = Temporal.Instant.from('2026-11-21T12:00:00Z');
  await using server = await startInstance({ now: () => now });
  const ada = await server.createAccount('Ada');
  await fetch(`${server.origin}/api/serverinfo`, { headers: { 'x-forwarded-for': '203.0.113.9' } });
  const listProxyWarnings = async () =>
    (await ada.call(serverstate, {})).warnings.filter((warning) => warning.includes('127.0.0.1'));
  expect(await listProxyWarnings()).toHaveLength(1);
  now = now.add({ hours: 25 });
  expect(await listProxyWarnings()).toEqual([]);
});
