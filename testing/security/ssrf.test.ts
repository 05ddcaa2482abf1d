import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAddressPolicy } from '#platform/server/egress/addressPolicy.ts';
import { createEgress } from '#platform/server/egress/createEgress.ts';
import { EgressRefusal, type EgressResponse } from '#platform/server/egress/egress.ts';

const INNER = "That address is in the server's own network. Ask the owner of this server to allow it";

/** Counts connections. There must be none. Listens on all addresses of this machine, including IPv6. */
async function startInner() {
  let connections = 0;
  const server = createServer((_request, response) => response.end('secret'));
  server.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => void server.listen(0, '::', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** A server on the internet, on an address that these tests allow. */
async function startOuter(location: () => string) {
  const server = createServer((_request, response) =>
    response.writeHead(302, { location: location().replaceAll(/[^ -~]/gu, encodeURIComponent) }).end(),
  );
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.2', resolve));
  return {
    origin: `http://127.0.0.2:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

const refusal = async (asking: Promise<EgressResponse>): Promise<string> =>
  asking.then(
    () => 'reached',
    (error: unknown) => (error instanceof EgressRefusal ? error.message : String(error)),
  );

/** Status of a proxy's answer; 0 if it closes the connection without one. */
async function throughProxy(proxy: string, head: string): Promise<number> {
  const socket = connect(Number(new URL(proxy).port), '127.0.0.1');
  socket.write(`${head}\r\nconnection: close\r\n\r\n`);
  const answer = Buffer.concat(await socket.toArray()).toString();
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
}

/** Addresses of this computer and of internal networks, in every spelling that some program accepts. */
const INNER_HOSTS = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '2130706433',
  '017700000001',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.01',
  '0x7f.0x0.0x0.0x1',
  '127.255.255.254',
  '127.0.0.1.',
  '127。0。0。1',
  '①②⑦.0.0.1',
  '%31%32%37.0.0.1',
  '0.0.0.0',
  '0',
  '0.1.2.3',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '3232235777',
  '100.64.0.1',
  '169.254.169.254',
  '0xa9fea9fe',
  '192.0.0.8',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '[::]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::a00:1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:53aa:64c::1]',
  '[fe80::1]',
  '[fec0::1]',
  '[fc00::1]',
  '[fd12:3456::1]',
  '[ff02::1]',
  '[2001:db8::1]',
  'localhost',
  'LocalHost',
] as const;

describe('addresses entered by users', () => {
  let inner: Awaited<ReturnType<typeof startInner>>;
  beforeAll(async () => {
    inner = await startInner();
  });
  afterAll(() => inner.close());

  test.each(INNER_HOSTS)('%s is not connected to', async (host) => {
    const egress = createEgress({ allow: [] });
    expect(await refusal(egress.fetch(`http://${host}:${inner.port}/`, { maxBytes: 1000 }))).toBe(INNER);
    expect(inner.connections()).toBe(0);
  });

  test.each(INNER_HOSTS)('a redirect to %s is not followed', async (host) => {
    const outer = await startOuter(() => `http://${host}:${inner.port}/`);
    const egress = createEgress({ allow: ['127.0.0.2'] });
    expect(await refusal(egress.fetch(outer.origin, { maxBytes: 1000 }))).toBe(INNER);
    await outer.close();
    expect(inner.connections()).toBe(0);
  });

  test("child programs can't reach them either, by HTTP or through a tunnel", async () => {
    await using proxy = await createEgress({ allow: [] }).openJobProxy({ maxBytes: 1000 });
    for (const host of INNER_HOSTS) {
      const plain = await throughProxy(proxy.address, `GET http://${host}:${inner.port}/ HTTP/1.1\r\nhost: x`);
      const tunnel = await throughProxy(proxy.address, `CONNECT ${host}:${inner.port} HTTP/1.1\r\nhost: x`);
      // Invalid characters are a bad request, all others are refused.
      expect(`${host} ${plain} ${tunnel}`).toMatch(/ 40[03] 40[03]$/);
    }
    expect(proxy.getFaults().filter(({ fault }) => fault === 'inner').length).toBeGreaterThan(INNER_HOSTS.length);
    expect([inner.connections(), proxy.getReceivedBytes()]).toEqual([0, 0]);
  });

  test.each(['file:///etc/passwd', 'ftp://127.0.0.1/', 'gopher://127.0.0.1/', 'javascript:1', '//x', 'http://', ''])(
    '%j is not a web address',
    async (address) => {
      const sentence = 'This is not a web address. Enter one that begins with https:// or http://';
      expect(await refusal(createEgress({ allow: [] }).fetch(address, { maxBytes: 1000 }))).toBe(sentence);
      const outer = await startOuter(() => address);
      if (address.includes(':') && address !== 'http://')
        expect(await refusal(createEgress({ allow: ['127.0.0.2'] }).fetch(outer.origin, { maxBytes: 1000 }))).toBe(
          sentence,
        );
      await outer.close();
    },
  );

  test('a name whose address changes is connected at the checked address, or not at all', async () => {
    const outer = await startOuter(() => `http://rebinding.example:${inner.port}/`);
    let lookupCount = 0;
    // The first answer is allowed, every later one is internal.
    const egress = createEgress({
      allow: ['127.0.0.2'],
      resolve: async () => [{ address: (lookupCount += 1) === 1 ? '127.0.0.2' : '127.0.0.1', family: 4 }],
    });
    const address = `http://rebinding.example:${new URL(outer.origin).port}/`;
    expect(await refusal(egress.fetch(address, { maxBytes: 1000 }))).toBe(INNER);
    expect(lookupCount).toBe(2);
    await outer.close();
    expect(inner.connections()).toBe(0);
  });

  test('a name with an internal address among others is not connected to', async () => {
    const outer = await startOuter(() => '/');
    const egress = createEgress({
      allow: ['127.0.0.2'],
      resolve: async () => [
        { address: '127.0.0.2', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ],
    });
    const address = `http://mixed.example:${new URL(outer.origin).port}/`;
    expect(await refusal(egress.fetch(address, { maxBytes: 1000 }))).toBe(INNER);
    await outer.close();
  });

  test("this machine's own addresses are not connected to, whatever network they are in", async () => {
    const targets = createAddressPolicy([], () => new Set(['8.8.8.8', '2606:4700::1111']));
    expect(['8.8.8.8', '::ffff:8.8.8.8', '2606:4700::1111', '64:ff9b::808:808'].map(targets.canConnect)).toEqual(
      Array.from({ length: 4 }, () => false),
    );
    expect(['8.8.4.4', '64:ff9b::808:404', '2606:4700::1112'].every(targets.canConnect)).toBe(true);
  });
});
