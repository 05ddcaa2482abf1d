import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeDesktopFolder } from './virtualDesktop.ts';

const canMount = spawnSync('unshare', ['--mount', 'true']).status === 0;

test.skipIf(!canMount)('what a program has mounted in the folder of a desktop does not keep it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-desktop-'));
  const path = join(folder, 'doc');
  for (const mounted of [path, join(path, 'inner')]) {
    mkdirSync(mounted);
    expect(spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', mounted]).status).toBe(0);
    writeFileSync(join(mounted, 'file'), '');
  }
  removeDesktopFolder(folder);
  expect(existsSync(folder)).toBe(false);
});
