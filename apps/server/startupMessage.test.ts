import { expect, test } from 'vitest';
import {
  getHostIdentity,
  listOrigins,
  listNetworkOrigins,
  listSecureOrigins,
  formatStartupMessage,
} from './startupMessage.ts';

test('a server without an owner shows the set-up link for the phone with its code behind the hash, and as a QR code', () => {
  const text = formatStartupMessage({
    origins: ['http://localhost:8300', 'http://192.168.1.5:8300'],
    networkOrigins: ['http://192.168.1.5:8300'],
    setupCode: 'ABCDE-FGHIJ',
  });
  expect(text).toContain('\n  http://localhost:8300\n  http://192.168.1.5:8300\n');
  expect(text).toContain('\n  http://192.168.1.5:8300/signup#setup=ABCDE-FGHIJ\n');
  expect(text).toMatch(/[▀▄█]{10}/);
});

test('a server with an owner shows addresses alone', () => {
  const text = formatStartupMessage({ origins: ['http://localhost:8300'], networkOrigins: [], setupCode: undefined });
  expect(text).toBe('\nPegboard is ready. Open\n  http://localhost:8300\n\n');
});

test('https stands behind http, with the page that says how to trust it and the fingerprint to compare', () => {
  const fingerprint = 'AB:CD';
  const text = formatStartupMessage({
    origins: ['http://localhost:8300', 'http://192.168.1.5:8300'],
    networkOrigins: ['http://192.168.1.5:8300'],
    https: { origins: ['https://192.168.1.5:8443'], name: 'Pegboard on raspi 1A2B', fingerprint },
    setupCode: 'ABCDE-FGHIJ',
  });
  expect(text).toContain(
    'Over https, once a phone or computer trusts this server (http://192.168.1.5:8300/trust says how):\n  https://192.168.1.5:8443\n',
  );
  expect(text).toContain("'Pegboard on raspi 1A2B', its SHA-256 fingerprint is\n  AB:CD\n");
  // What the phone does not trust yet would not open: the set-up link stays http.
  expect(text).toContain('\n  http://192.168.1.5:8300/signup#setup=');
});

test('https is told by addresses, which lead here for sure, before names', () => {
  const about = { port: 8443, name: 'x', fingerprint: 'y', beyond: [] };
  const hosts = ['192.168.1.5', 'raspi.local', 'raspi', 'localhost', '127.0.0.1', '[::1]'];
  expect(listSecureOrigins({ ...about, hosts }, [])).toEqual(['https://192.168.1.5:8443']);
  expect(listSecureOrigins({ ...about, hosts: hosts.slice(1) }, [])).toEqual(['https://localhost:8443']);
  expect(listSecureOrigins({ ...about, port: 443, hosts: ['raspi.lan'] }, ['http://raspi.lan'])).toEqual([
    'https://raspi.lan',
  ]);
});

test('a certificate is for what this server listens to', () => {
  expect(getHostIdentity({ host: '127.0.0.1', publicOrigins: [] }).addresses).toEqual([]);
  expect(getHostIdentity({ host: '192.168.1.5', publicOrigins: ['http://raspi.lan:8300'] })).toMatchObject({
    addresses: ['192.168.1.5'],
    publicHosts: ['raspi.lan'],
  });
});

test('a server that listens to this computer alone has no address for others', () => {
  const listening = { host: '127.0.0.1', port: 8300, publicOrigins: [] };
  expect(listNetworkOrigins(listening)).toEqual([]);
  expect(listOrigins(listening)).toEqual(['http://localhost:8300']);
});

test('where a proxy serves it, its public address is the one for others', () => {
  const listening = { host: '::', port: 8300, publicOrigins: ['https://my.example'] };
  expect(listNetworkOrigins(listening)).toEqual(['https://my.example']);
  expect(listNetworkOrigins({ host: 'fd00::5', port: 80, publicOrigins: [] })).toEqual(['http://[fd00::5]']);
});
