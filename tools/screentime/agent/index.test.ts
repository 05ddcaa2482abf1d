import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTempFolderSync } from '#testing/kits/server/tempFolder.ts';
import { createHotkeyFile } from './hotkeys.ts';
import { screentimeAccountData } from './index.ts';
import { openSpool } from './usageSpool.ts';

const interval = { app: 'Editor', status: 'on', from: 0, until: 10 } as const;

test('queued screen time of an account is counted, and removed with its hotkeys, while the owner’s settings stay', () => {
  const folder = createTempFolderSync();
  expect(screentimeAccountData.listUnsent(folder)).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
  const before = openSpool({ folder, print: () => {} });
  before.write('desktop', [], [interval]);
  before.close();
  expect(screentimeAccountData.listUnsent(folder)).toEqual(['1 usage record']);
  const spool = openSpool({ folder, print: () => {} });
  spool.write('desktop', [interval], [interval]);
  spool.close();
  expect(screentimeAccountData.listUnsent(folder)).toEqual(['3 usage records']);

  createHotkeyFile(folder).save([]);
  for (const name of ['usage.json', 'activitywatch.json', 'usage.alive', 'usage.db.broken'])
    writeFileSync(join(folder, name), '{}');
  screentimeAccountData.remove(folder);
  expect(readdirSync(folder).toSorted()).toEqual(['activitywatch.json', 'usage.json']);
  expect(screentimeAccountData.listUnsent(folder)).toEqual([]);
});

test('an unreadable spool does not prevent pairing', () => {
  const folder = createTempFolderSync();
  writeFileSync(join(folder, 'usage.db'), 'none of ours');
  expect(screentimeAccountData.listUnsent(folder)).toEqual([]);
});
