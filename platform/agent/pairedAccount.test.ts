import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type AccountData, describeUnsentBeforePairing, assignOwner } from './pairedAccount.ts';

const ANNA = { key: 'a', name: 'anna' };
const BOB = { key: 'b', name: 'bob' };

const keep: AccountData = {
  listUnsent: (folder) => (existsSync(join(folder, 'kept')) ? [readFileSync(join(folder, 'kept'), 'utf8')] : []),
  remove: (folder) => rmSync(join(folder, 'kept'), { force: true }),
};
const keeps = [keep];
const setUp = (): { readonly folder: string; readonly wait: () => void; readonly waits: () => boolean } => {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-owner-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return {
    folder,
    wait: () => writeFileSync(join(folder, 'kept'), '12 things'),
    waits: () => existsSync(join(folder, 'kept')),
  };
};

test('unsent data stays for its account, whatever the account is called by now', () => {
  const { folder, wait, waits } = setUp();
  expect(describeUnsentBeforePairing(folder, keeps)).toEqual([]);
  expect(assignOwner(ANNA, folder, keeps)).toEqual([]);
  wait();
  expect(describeUnsentBeforePairing(folder, keeps)).toEqual([
    'If you pair with an account other than anna, you lose 12 things not yet sent to anna',
  ]);
  expect(assignOwner(ANNA, folder, keeps)).toEqual([]);
  expect(assignOwner({ ...ANNA, name: 'anne' }, folder, keeps)).toEqual([]);
  expect(waits()).toBe(true);
  expect(describeUnsentBeforePairing(folder, keeps)).toEqual([expect.stringContaining('not yet sent to anne')]);
});

test('another account gets none of it, also one with the same name', () => {
  const { folder, wait, waits } = setUp();
  assignOwner(ANNA, folder, keeps);
  wait();
  expect(assignOwner(BOB, folder, keeps)).toEqual(['This computer now belongs to bob. Deleted: 12 things of anna']);
  expect(waits()).toBe(false);
  wait();
  assignOwner({ ...BOB, key: 'c' }, folder, keeps);
  expect(waits()).toBe(false);
});

test('data of an unknown account is given to no account', () => {
  const { folder, wait, waits } = setUp();
  wait();
  writeFileSync(join(folder, 'owner.json'), '{"key":');
  expect(describeUnsentBeforePairing(folder, keeps)).toEqual(['Pairing deletes 12 things of an unknown account']);
  expect(assignOwner(BOB, folder, keeps)).toEqual([
    'This computer now belongs to bob. Deleted: 12 things of another account',
  ]);
  expect(waits()).toBe(false);
});
