import { expect, test } from 'vitest';
import { greeting } from './greeting.ts';
import { originsToOpen, outerOrigins } from './network.ts';

test('a server without an owner shows the set-up link for the phone with its code behind the hash, and as a QR code', () => {
  const text = greeting({
    origins: ['http://localhost:8300', 'http://192.168.1.5:8300'],
    outer: ['http://192.168.1.5:8300'],
    setupCode: 'ABCDE-FGHIJ',
  });
  expect(text).toContain('\n  http://localhost:8300\n  http://192.168.1.5:8300\n');
  expect(text).toContain('\n  http://192.168.1.5:8300/signup#setup=ABCDE-FGHIJ\n');
  expect(text).toMatch(/[▀▄█]{10}/);
});

test('a server with an owner shows addresses alone', () => {
  const text = greeting({ origins: ['http://localhost:8300'], outer: [], setupCode: undefined });
  expect(text).toBe('\nPegboard is ready. Open\n  http://localhost:8300\n\n');
});

test('a server that listens to this computer alone has no address for others', () => {
  const listening = { host: '127.0.0.1', port: 8300, publicOrigins: [] };
  expect(outerOrigins(listening)).toEqual([]);
  expect(originsToOpen(listening)).toEqual(['http://localhost:8300']);
});

test('where a proxy serves it, its public address is the one for others', () => {
  const listening = { host: '::', port: 8300, publicOrigins: ['https://my.example'] };
  expect(outerOrigins(listening)).toEqual(['https://my.example']);
  expect(outerOrigins({ host: 'fd00::5', port: 80, publicOrigins: [] })).toEqual(['http://[fd00::5]']);
});
