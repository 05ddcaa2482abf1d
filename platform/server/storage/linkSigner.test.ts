import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { Refusal } from '#platform/contract/refusal.ts';
import { createLinkSigner, loadOrCreateLinkSigner } from './linkSigner.ts';

const now = Temporal.Instant.from('2026-11-23T12:00:00Z');
const later = now.add({ hours: 6 });
const permit = { purpose: 'song:812', account: 3, generation: 0 };
const links = createLinkSigner(Buffer.alloc(32, 1));

const tempFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'pegboard-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
};

test('a signed link is valid until it expires, and only for its purpose, account and generation', () => {
  const { e, s } = links.sign(permit, later);
  expect(s).toMatch(/^[\w-]{32}$/);
  expect(links.formatQuery(permit, later)).toBe(`?e=${e}&s=${s}`);
  const holds = (given: object, of = permit, at = now) => links.verify(of, given, at);
  expect(holds({ e, s })).toBe(true);
  expect(holds({ e: String(e), s })).toBe(true);
  expect(holds({ e, s }, permit, later)).toBe(false);
  expect(holds({ e: e + 1, s })).toBe(false);
  expect(holds({ e, s }, { ...permit, purpose: 'song:81' })).toBe(false);
  expect(holds({ e, s }, { ...permit, account: 4 })).toBe(false);
  expect(holds({ e, s }, { ...permit, generation: 1 })).toBe(false);
  expect(createLinkSigner(Buffer.alloc(32, 2)).verify(permit, { e, s }, now)).toBe(false);
});

test('any other signature is invalid, and causes no error', () => {
  const { e } = links.sign(permit, later);
  fc.assert(
    fc.property(fc.anything(), fc.anything(), (anyE, anyS) => {
      expect(links.verify(permit, { e: anyE, s: anyS }, now)).toBe(false);
      expect(links.verify(permit, { e, s: anyS }, now)).toBe(false);
    }),
  );
  expect(links.verify(permit, { e, s: 'ü'.repeat(32) }, now)).toBe(false);
  expect(links.verify(permit, {}, now)).toBe(false);
});

test('the key is created once, private to the user, and never replaced if it is damaged', async () => {
  const folder = await tempFolder();
  const [first, second] = await Promise.all([loadOrCreateLinkSigner(folder), loadOrCreateLinkSigner(folder)]);
  expect(first.sign(permit, later)).toEqual(second.sign(permit, later));
  expect((await loadOrCreateLinkSigner(folder)).sign(permit, later)).toEqual(first.sign(permit, later));
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
