import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTempFolderSync } from '#testing/kits/server/tempFolder.ts';
import { writeKdeEntry } from '../../service.ts';
import { isNamedInKdeEntry } from './desktopEntry.ts';

test('an entry names the running program, also by a link to it', () => {
  const home = createTempFolderSync();
  expect(isNamedInKdeEntry({ HOME: home })).toBe(false);
  writeKdeEntry({ HOME: home }, '/bin/sh');
  expect(isNamedInKdeEntry({ HOME: home })).toBe(false);
  writeKdeEntry({ HOME: home }, process.execPath);
  expect(isNamedInKdeEntry({ HOME: home })).toBe(true);
  const link = join(home, 'a link');
  symlinkSync(process.execPath, link);
  writeKdeEntry({ HOME: home }, link);
  expect(isNamedInKdeEntry({ HOME: home })).toBe(true);
});
