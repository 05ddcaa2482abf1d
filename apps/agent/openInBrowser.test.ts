import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTempFolderSync } from '#testing/kits/server/tempFolder.ts';
import { getOpenCommand, openInBrowser } from './openInBrowser.ts';

const ADDRESS = 'http://192.168.1.5:8300/selfcheck?device=1&run=abc';

test('each system has its own command', () => {
  expect(getOpenCommand('linux', ADDRESS)).toEqual({ program: 'xdg-open', args: [ADDRESS] });
  expect(getOpenCommand('darwin', ADDRESS)).toEqual({ program: 'open', args: [ADDRESS] });
  // The quotes keep cmd from ending the command at `&`.
  expect(getOpenCommand('win32', ADDRESS).args.at(-1)).toBe(`"start "" "${ADDRESS}""`);
});

function createProgramFolder(script: string): string {
  const folder = createTempFolderSync();
  const path = join(folder, 'xdg-open');
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return folder;
}

test('the address reaches the program as one argument', async () => {
  const folder = createProgramFolder('printf %s "$1" > "$0.address"');
  expect(await openInBrowser(ADDRESS, { platform: 'linux', env: { PATH: `${folder}:/usr/bin:/bin` } })).toBeUndefined();
  const path = join(folder, 'xdg-open.address');
  expect(existsSync(path) && readFileSync(path, 'utf8')).toBe(ADDRESS);
});

test('a missing or failing program is no error, but says what to do', async () => {
  const failing = createProgramFolder('exit 3');
  for (const PATH of [failing, '/nonexistent'])
    expect(await openInBrowser(ADDRESS, { platform: 'linux', env: { PATH } })).toBe(
      'No browser was opened. Copy the address into a browser on this computer',
    );
});
