import { expect, test } from 'vitest';
import {
  getHostIdentity,
  listOrigins,
  listNetworkOrigins,
  listSecureOrigins,
  formatStartupMessage,
} from './startupMessage.ts';

test('without an owner, the setup link with its code after the hash is shown, also as a QR code', () => {
  const text = formatStartupMessage({
    origins: ['http://localhost:8300', 'http://192.168.1.5:8300'],
    networkOrigins: ['http://192.168.1.5:8300'],
    setupCode: 'ABCDE-FGHIJ',
  });
  expect(text).toContain('\n  http://localhost:8300\n  http://192.168.1.5:8300\n');
  expect(text).toContain('\n  http://192.168.1.5:8300/signup#setup=ABCDE-FGHIJ\n');
  expect(text).toMatch(/[▀▄█]{10}/);
});

test('with an owner, only addresses are shown', () => {
  const text = formatStartupMessage({ origins: ['http://localhost:8300'], networkOrigins: [], setupCode: undefined });
  expect(text).toBe('\nPegboard is ready. Open\n  http://localhost:8300\n\n');
});

test('HTTPS follows HTTP, with the page that explains how to trust it, and the fingerprint', () => {
  const fingerprint = 'AB:CD';
  const text = formatStartupMessage({
    origins: ['http://localhost:8300', 'http://192.168.1.5:8300'],
    networkOrigins: ['http://192.168.1.5:8300'],
    https: { origins: ['https://192.168.1.5:8443'], name: 'Pegboard on raspi 1A2B', fingerprint },
    setupCode: 'ABCDE-FGHIJ',
  });
  expect(text).toContain(
    'Over https, after a phone or computer trusts this server (http://192.168.1.5:8300/trust explains how):\n  https://192.168.1.5:8443\n',
  );
  expect(text).toContain("'Pegboard on raspi 1A2B' with the SHA-256 fingerprint\n  AB:CD\n");
  // The phone does not trust HTTPS yet, so the setup link stays HTTP.
  expect(text).toContain('\n  http://192.168.1.5:8300/signup#setup=');
});

test('HTTPS addresses, which always work, come before names', () => {
  const about = { port: 8443, name: 'x', fingerprint: 'y', beyond: [] };
  const hosts = ['192.168.1.5', 'raspi.local', 'raspi', 'localhost', '127.0.0.1', '[::1]'];
  expect(listSecureOrigins({ ...about, hosts }, [])).toEqual(['https://192.168.1.5:8443']);
  expect(listSecureOrigins({ ...about, hosts: hosts.slice(1) }, [])).toEqual(['https://localhost:8443']);
  expect(listSecureOrigins({ ...about, port: 443, hosts: ['raspi.lan'] }, ['http://raspi.lan'])).toEqual([
    'https://raspi.lan',
  ]);
});

test('a certificate covers what the server listens to', () => {
  expect(getHostIdentity({ host: '127.0.0.1', publicOrigins: [] }).addresses).toEqual([]);
  expect(getHostIdentity({ host: '192.168.1.5', publicOrigins: ['http://raspi.lan:8300'] })).toMatchObject({
    addresses: ['192.168.1.5'],
    publicHosts: ['raspi.lan'],
  });
});

test('a server that only listens to this computer has no address for others', () => {
  const listening = { host: '127.0.0.1', port: 8300, publicOrigins: [] };
  expect(listNetworkOrigins(listening)).toEqual([]);
  expect(listOrigins(listening)).toEqual(['http://localhost:8300']);
});

test('behind a proxy, the public address is shown for others', () => {
  const listening = { host: '::', port: 8300, publicOrigins: ['https://my.example'] };
  expect(listNetworkOrigins(listening)).toEqual(['https://my.example']);
  expect(listNetworkOrigins({ host: 'fd00::5', port: 80, publicOrigins: [] })).toEqual(['http://[fd00::5]']);
});
