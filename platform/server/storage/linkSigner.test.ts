import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Refusal } from '#platform/contract/refusal.ts';
import { createTempFolder } from '#testing/kits/server/tempFolder.ts';
import { createLinkSigner, loadOrCreateLinkSigner } from './linkSigner.ts';

const now = Temporal.Instant.from('2026-11-23T12:00:00Z');
const later = now.add({ hours: 6 });
const scope = { purpose: 'song:812', account: 3, generation: 0 };
const links = createLinkSigner(Buffer.alloc(32, 1));

test('a signed link is valid until it expires, and only for its purpose, account and generation', () => {
  const { e, s } = links.sign(scope, later);
  expect(s).toMatch(/^[\w-]{32}$/);
  expect(links.formatQuery(scope, later)).toBe(`?e=${e}&s=${s}`);
  const isValid = (signature: object, linkScope = scope, time = now) => links.verify(linkScope, signature, time);
  expect(isValid({ e, s })).toBe(true);
  expect(isValid({ e: String(e), s })).toBe(true);
  expect(isValid({ e, s }, scope, later)).toBe(false);
  expect(isValid({ e: e + 1, s })).toBe(false);
  expect(isValid({ e, s }, { ...scope, purpose: 'song:81' })).toBe(false);
  expect(isValid({ e, s }, { ...scope, account: 4 })).toBe(false);
  expect(isValid({ e, s }, { ...scope, generation: 1 })).toBe(false);
  expect(createLinkSigner(Buffer.alloc(32, 2)).verify(scope, { e, s }, now)).toBe(false);
});

test('any other signature is invalid, and causes no error', () => {
  const { e } = links.sign(scope, later);
  fc.assert(
    fc.property(fc.anything(), fc.anything(), (anyE, anyS) => {
      expect(links.verify(scope, { e: anyE, s: anyS }, now)).toBe(false);
      expect(links.verify(scope, { e, s: anyS }, now)).toBe(false);
    }),
  );
  expect(links.verify(scope, { e, s: 'ü'.repeat(32) }, now)).toBe(false);
  expect(links.verify(scope, {}, now)).toBe(false);
});

test('the key is created once, private to the user, and never replaced if it is damaged', async () => {
  const folder = await createTempFolder();
  const [first, second] = await Promise.all([loadOrCreateLinkSigner(folder), loadOrCreateLinkSigner(folder)]);
  expect(first.sign(scope, later)).toEqual(second.sign(scope, later));
  expect((await loadOrCreateLinkSigner(folder)).sign(scope, later)).toEqual(first.sign(scope, later));
  const path = join(folder, 'secret.key');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readFile(path)).toHaveLength(32);
  await chmod(path, 0o600);
  await writeFile(path, 'half');
  await expect(loadOrCreateLinkSigner(folder)).rejects.toThrow(Refusal);
  expect(await readFile(path, 'utf8')).toBe('half');
});

test('derived keys differ, and do not reveal the key', () => {
  const [one, other] = [links.deriveKey('app passwords'), links.deriveKey('something else')];
  expect([one.length, other.length]).toEqual([32, 32]);
  expect(one.equals(other)).toBe(false);
  expect(one.equals(Buffer.alloc(32, 1))).toBe(false);
});
