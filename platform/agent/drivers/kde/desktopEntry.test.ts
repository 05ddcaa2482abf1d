import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeKdeEntry } from '../../service.ts';
import { isNamedInKdeEntry } from './desktopEntry.ts';

test('an entry names the running program, also by a link to it', () => {
  const home = mkdtempSync(join(tmpdir(), 'pegboard-entry-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
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
