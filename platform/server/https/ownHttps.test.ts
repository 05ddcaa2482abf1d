import { spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { io } from 'socket.io-client';
import { expect, test } from 'vitest';
import { closing, SOCKET_PATH } from '#platform/contract/realtime.ts';
import { logout, serverinfo, type OwnHttps } from '#platform/contract/session.ts';
import { startProgram } from '#testing/journeys/program.ts';
import { createManualTimers } from '#testing/kits/server/manualTimers.ts';
import { startServer, TEST_PASSWORD, type TestServer } from '#testing/kits/server/server.ts';
import { createTempFolder } from '#testing/kits/server/tempFolder.ts';
import { getSkipReason } from '#testing/machine.ts';
import { pairdevice } from '#tools/devices/contract.ts';
import { createOriginRules } from '../http/guard.ts';
import { getAuthorityPath, readAuthority } from './authority.ts';
import type { HostIdentity } from './nameConstraints.ts';

const MACHINE: HostIdentity = { hostname: 'raspi', addresses: ['127.0.0.1', '192.168.1.5'], publicHosts: [] };

interface SecureTestServer extends AsyncDisposable {
  readonly server: TestServer;
  /** PEM of the authority. */
  readonly ca: string;
  readonly getHttpsInfo: () => Promise<OwnHttps>;
  readonly port: number;
  /** Creates a connection that only trusts the authority. */
  readonly connect: (servername?: string) => Promise<TLSSocket>;
  readonly send: (path: string, options?: SendOptions) => Promise<ReceivedResponse>;
}

interface SendOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface ReceivedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

async function startSecureServer(options: Parameters<typeof startServer>[0] = {}): Promise<SecureTestServer> {
  const server = await startServer({ https: { port: 0, getHostIdentity: () => MACHINE }, ...options });
  async function getHttpsInfo(): Promise<OwnHttps> {
    const { https } = await server.call(serverinfo, {});
    if (!https) throw new Error('https is off');
    return https;
  }
  const { port } = await getHttpsInfo();
  const ca = await (await fetch(`${server.origin}/trust/pegboard-ca.pem`)).text();
  return {
    server,
    ca,
    getHttpsInfo,
    port,
    connect: async (servername = 'raspi.local') => {
      const socket = connectTls({ host: '127.0.0.1', port, ca, servername });
      await once(socket, 'secureConnect');
      return socket;
    },
    send: (path, { headers = {}, body } = {}) =>
      new Promise((resolve, reject) => {
        const clientRequest = request(
          {
            host: '127.0.0.1',
            port,
            path,
            servername: 'raspi.local',
            ca,
            agent: false,
            method: body === undefined ? 'GET' : 'POST',
            headers: { host: `raspi.local:${port}`, 'content-type': 'application/json', ...headers },
          },
          (response) =>
            void text(response).then(
              (content) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: content }),
              reject,
            ),
        );
        clientRequest.once('error', reject);
        clientRequest.end(body === undefined ? undefined : JSON.stringify(body));
      }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

test('calls and pages work over HTTPS under each name and address of the certificate', async () => {
  await using secure = await startSecureServer();
  const { hosts, name, fingerprint, beyond } = await secure.getHttpsInfo();
  expect(hosts).toEqual([
    '127.0.0.1',
    '192.168.1.5',
    'raspi.local',
    'raspi',
    'raspi.lan',
    'raspi.home.arpa',
    'localhost',
    '[::1]',
  ]);
  expect(beyond).toEqual([]);
  for (const servername of ['raspi.local', 'raspi', 'localhost']) (await secure.connect(servername)).destroy();
  await expect(secure.connect('example.com')).rejects.toThrow(/does not match certificate/);
  const answer = await secure.send('/api/serverinfo');
  expect(answer.status).toBe(200);
  const authority = await readAuthority(secure.server.dataDir);
  expect(authority).toMatchObject({ name, fingerprint });
  expect(new X509Certificate(secure.ca).fingerprint256).toBe(fingerprint);
});

test('HTTPS sets neither HSTS nor Secure cookies, which would also apply to the HTTP port of the same name', async () => {
  await using secure = await startSecureServer();
  const page = await secure.send('/trust');
  const signup = await secure.send('/api/signup', { body: { username: 'ann', password: TEST_PASSWORD } });
  expect(signup.body).toContain('"username":"ann"');
  for (const { headers } of [page, signup]) {
    expect(headers['strict-transport-security']).toBeUndefined();
    expect(headers['set-cookie']?.join()).not.toContain('Secure');
  }
  expect(page.headers['set-cookie']?.join()).toContain('pb_visitor=');
  expect(signup.headers['set-cookie']?.join()).toContain('pb_known=');
});

test('the Host and Origin rules apply to both listeners separately', async () => {
  await using secure = await startSecureServer();
  const status = async (headers: Readonly<Record<string, string>>): Promise<number> =>
    (await secure.send('/api/serverinfo', { headers })).status;
  expect(await status({ origin: `https://raspi.local:${secure.port}` })).toBe(200);
  expect(await status({ origin: secure.server.origin })).toBe(400);
  expect(await status({ origin: 'https://raspi.local' })).toBe(400);
  expect(await status({ origin: 'https://evil.example' })).toBe(400);
  expect(await status({ host: 'evil.example' })).toBe(400);
  const plain = await fetch(`${secure.server.origin}/api/serverinfo`, {
    headers: { origin: `https://127.0.0.1:${secure.port}` },
  });
  expect(plain.status).toBe(400);
});

test('with PUBLIC_ORIGIN, the HTTPS listener answers under those names at its own port', async () => {
  let httpsPort: number | undefined;
  const rules = await createOriginRules({
    publicOrigins: ['http://raspi.local:8300', 'http://board.example.org'],
    hasOwner: async () => true,
    httpsPort: () => httpsPort,
  });
  const isAllowed = (host: string, origin?: string): boolean => rules.isAllowedOrigin({ host, origin });
  expect(isAllowed('raspi.local:8443')).toBe(false);
  httpsPort = 8443;
  expect(isAllowed('raspi.local:8443', 'https://raspi.local:8443')).toBe(true);
  expect(isAllowed('board.example.org:8443')).toBe(true);
  expect(isAllowed('raspi.local:8300', 'http://raspi.local:8300')).toBe(true);
  expect(isAllowed('raspi.local:8443', 'https://evil.example')).toBe(false);
  expect(isAllowed('192.168.1.5:8443')).toBe(false);
  httpsPort = 443;
  expect(isAllowed('raspi.local', 'https://raspi.local')).toBe(true);
});

async function openWss({ ca, port }: SecureTestServer, token: string, headers: Readonly<Record<string, string>> = {}) {
  const socket = io(`https://127.0.0.1:${port}`, {
    path: SOCKET_PATH,
    transports: ['websocket'],
    reconnection: false,
    forceNew: true,
    auth: { token },
    extraHeaders: headers,
    ca,
  });
  await new Promise<void>((resolve, reject) => void socket.once('connect', resolve).once('connect_error', reject));
  return socket;
}

test('sockets over wss join the same rooms as plain ones, with the same rules', async () => {
  await using secure = await startSecureServer();
  const ann = await secure.server.createAccount('ann');
  const socket = await openWss(secure, ann.token, { origin: `https://127.0.0.1:${secure.port}` });
  const closingEvent = new Promise((resolve) => socket.once(closing.name, resolve));
  const disconnected = new Promise((resolve) => socket.once('disconnect', resolve));
  await ann.call(logout, {});
  expect(await closingEvent).toEqual({ reason: 'session ended' });
  await disconnected;
  await expect(openWss(secure, ann.token)).rejects.toThrow('invalid token');
  await expect(openWss(secure, ann.token, { origin: 'https://evil.example' })).rejects.toThrow('websocket error');
});

const openConnection = async (port: number): Promise<unknown> => once(connect(port, '127.0.0.1'), 'connect');

test('stopping closes both listeners and their sockets', async () => {
  const secure = await startSecureServer();
  const { token } = await secure.server.createAccount('ann');
  const socket = await openWss(secure, token);
  const disconnected = new Promise((resolve) => socket.once('disconnect', resolve));
  const idle = await secure.connect();
  const ended = once(idle.resume(), 'close');
  await secure[Symbol.asyncDispose]();
  await Promise.all([disconnected, ended]);
  await expect(openConnection(secure.port)).rejects.toThrow('ECONNREFUSED');
  await expect(openConnection(Number(new URL(secure.server.origin).port))).rejects.toThrow('ECONNREFUSED');
});

test('the certificate follows addresses, names and the clock, without restart or interruption', async () => {
  const timers = createManualTimers();
  let now = Temporal.Instant.from('2026-11-21T12:00:00Z');
  let machine = MACHINE;
  await using secure = await startSecureServer({
    now: () => now,
    https: { port: 0, timers, getHostIdentity: () => machine },
  });
  async function checkCertificate() {
    const socket = connectTls({ host: '127.0.0.1', port: secure.port, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const names = (socket.getPeerX509Certificate()?.subjectAltName ?? '')
      .split(', ')
      .map((entry) => entry.split(/:(.*)/)[1]);
    const serial = socket.getPeerX509Certificate()?.serialNumber ?? '';
    return { socket, names, serial };
  }
  const first = await checkCertificate();
  // A connection that has sent a request may be silent for longer.
  first.socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(first.socket, 'data');
  timers.advance(60_000);
  const same = await checkCertificate();
  expect(same.serial).toBe(first.serial);

  machine = { ...MACHINE, addresses: ['10.0.0.7'] };
  timers.advance(60_000);
  const moved = await checkCertificate();
  expect(moved.names).toContain('10.0.0.7');
  expect(moved.names).not.toContain('192.168.1.5');
  expect((await secure.getHttpsInfo()).hosts[0]).toBe('10.0.0.7');

  machine = { ...machine, hostname: 'study' };
  timers.advance(60_000);
  const renamed = await checkCertificate();
  expect(renamed.names).toContain('study.local');
  expect(renamed.names).not.toContain('study'); // a single label that the authority does not include

  now = now.add({ hours: 24 * 58 });
  timers.advance(60_000);
  expect((await checkCertificate()).serial).toBe(renamed.serial);
  now = now.add({ hours: 24 * 3 });
  timers.advance(60_000);
  const renewed = await checkCertificate();
  expect(renewed.serial).not.toBe(renamed.serial);

  now = now.subtract({ hours: 24 * 30 });
  timers.advance(60_000);
  const afterClockChange = await checkCertificate();
  expect(afterClockChange.serial).not.toBe(renewed.serial);

  // The first connection stayed open all the time.
  first.socket.write(`GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  expect(await text(first.socket)).toContain('"status":"ok"');
  for (const { socket } of [same, moved, renamed, renewed, afterClockChange]) socket.destroy();
});

test('neither the log nor any response contains the key', async () => {
  await using secure = await startSecureServer();
  const file = await readFile(getAuthorityPath(secure.server.dataDir), 'utf8');
  const { key } = JSON.parse(file) as { readonly key: string };
  const secret = key.split('\n')[1] ?? '';
  expect(secret.length).toBeGreaterThan(40);
  const der = await fetch(`${secure.server.origin}/trust/pegboard-ca.crt`);
  expect(der.headers.get('content-type')).toBe('application/x-x509-ca-cert');
  const bytes = Buffer.from(await der.arrayBuffer());
  expect(new X509Certificate(bytes).toString()).toBe(secure.ca);
  expect(secure.ca).not.toContain('PRIVATE');
  expect(secure.server.log.join('\n')).not.toContain(secret);
});

test('without the setting there is no authority, and nothing to trust', async () => {
  await using server = await startServer();
  expect((await server.call(serverinfo, {})).https).toBeUndefined();
  const missing = await fetch(`${server.origin}/trust/pegboard-ca.crt`);
  expect([missing.status, await missing.text()]).toEqual([404, expect.stringContaining('HTTPS_PORT is off')]);
  await expect(readAuthority(server.dataDir)).resolves.toBeUndefined();
});

test('clients from the internet get no names of the network', async () => {
  await using secure = await startSecureServer({ trustProxy: ['loopback'] });
  const answer = await fetch(`${secure.server.origin}/api/serverinfo`, {
    headers: { 'x-forwarded-for': '203.0.113.9' },
  });
  const { https } = serverinfo.answer.parse(await answer.json());
  expect(https).toMatchObject({ port: secure.port, hosts: [] });
});

test('the agent pairs and connects over HTTPS with the certificate, and not without it', async () => {
  await using secure = await startSecureServer();
  const ann = await secure.server.createAccount('ann');
  const home = await createTempFolder();
  const ca = join(home, 'pegboard-ca.pem');
  await writeFile(ca, secure.ca);
  const env = { PATH: process.env['PATH'], HOME: home, XDG_RUNTIME_DIR: home };
  const args = ['apps/agent/main.ts', 'pair', `https://127.0.0.1:${secure.port}`, '--name', 'Desk'];
  await using untrustingAgent = startProgram(args, env);
  await expect(untrustingAgent.waitForOutput(/\n {4}(\S{8,9})\n/)).rejects.toThrow('ended without saying');

  await using agent = startProgram(args, { ...env, NODE_EXTRA_CA_CERTS: ca });
  const [, code = ''] = await agent.waitForOutput(/\n {4}(\S{8,9})\n/);
  await ann.call(pairdevice, { code });
  await agent.waitForOutput(/Connected to/);
});

const lack = getSkipReason('openssl');
test.skipIf(lack)(`openssl accepts the connection if it only trusts the authority ${lack ?? ''}`, async () => {
  await using secure = await startSecureServer();
  const folder = await createTempFolder();
  const path = join(folder, 'ca.pem');
  await writeFile(path, secure.ca);
  const connectArgs = ['s_client', '-connect', `127.0.0.1:${secure.port}`, '-verify_hostname', 'raspi.local', '-brief'];
  async function connectWithOpenssl(...more: readonly string[]): Promise<string> {
    const child = spawn('openssl', [...connectArgs, '-verify_return_error', ...more], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return (await Promise.all([text(child.stdout), text(child.stderr)])).join('\n');
  }
  expect(await connectWithOpenssl('-CAfile', path)).toContain('Verification: OK');
  expect(await connectWithOpenssl()).toContain('unable to get local issuer certificate');
});
