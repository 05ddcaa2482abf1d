import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTempFolderSync } from '#testing/kits/server/tempFolder.ts';
import { type AccountData, describeUnsentBeforePairing, assignOwner } from './pairedAccount.ts';

const ANNA = { key: 'a', name: 'anna' };
const BOB = { key: 'b', name: 'bob' };

const ACCOUNT_DATA: readonly AccountData[] = [
  {
    listUnsent: (folder) => (existsSync(join(folder, 'unsent')) ? [readFileSync(join(folder, 'unsent'), 'utf8')] : []),
    remove: (folder) => rmSync(join(folder, 'unsent'), { force: true }),
  },
];
function createFolder() {
  const folder = createTempFolderSync();
  return {
    folder,
    addUnsent: () => writeFileSync(join(folder, 'unsent'), '12 things'),
    hasUnsent: () => existsSync(join(folder, 'unsent')),
  };
}

test('unsent data stays for its account, whatever the account is called by now', () => {
  const { folder, addUnsent, hasUnsent } = createFolder();
  expect(describeUnsentBeforePairing(folder, ACCOUNT_DATA)).toEqual([]);
  expect(assignOwner(ANNA, folder, ACCOUNT_DATA)).toEqual([]);
  addUnsent();
  expect(describeUnsentBeforePairing(folder, ACCOUNT_DATA)).toEqual([
    'If you pair with an account other than anna, you lose 12 things not yet sent to anna',
  ]);
  expect(assignOwner(ANNA, folder, ACCOUNT_DATA)).toEqual([]);
  expect(assignOwner({ ...ANNA, name: 'anne' }, folder, ACCOUNT_DATA)).toEqual([]);
  expect(hasUnsent()).toBe(true);
  expect(describeUnsentBeforePairing(folder, ACCOUNT_DATA)).toEqual([expect.stringContaining('not yet sent to anne')]);
});

test('another account gets none of it, also one with the same name', () => {
  const { folder, addUnsent, hasUnsent } = createFolder();
  assignOwner(ANNA, folder, ACCOUNT_DATA);
  addUnsent();
  expect(assignOwner(BOB, folder, ACCOUNT_DATA)).toEqual([
    'This computer now belongs to bob. Deleted: 12 things of anna',
  ]);
  expect(hasUnsent()).toBe(false);
  addUnsent();
  assignOwner({ ...BOB, key: 'c' }, folder, ACCOUNT_DATA);
  expect(hasUnsent()).toBe(false);
});

test('data of an unknown account is given to no account', () => {
  const { folder, addUnsent, hasUnsent } = createFolder();
  addUnsent();
  writeFileSync(join(folder, 'owner.json'), '{"key":');
  expect(describeUnsentBeforePairing(folder, ACCOUNT_DATA)).toEqual([
    'Pairing deletes 12 things of an unknown account',
  ]);
  expect(assignOwner(BOB, folder, ACCOUNT_DATA)).toEqual([
    'This computer now belongs to bob. Deleted: 12 things of another account',
  ]);
  expect(hasUnsent()).toBe(false);
});
