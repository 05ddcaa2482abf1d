import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTempFolderSync } from '#testing/kits/server/tempFolder.ts';
import { findScriptCommand, formatScriptFile, getScriptEnvironment, validateScriptName } from './interpreters.ts';

const WINDOWS = { platform: 'win32', env: { Path: 'C:\\Windows\\System32' } } as const;

test('on Windows, scripts end in other names, and a program is refused with what to do', () => {
  expect(() => findScriptCommand('backup.sh', WINDOWS)).toThrow(
    "can't run 'backup.sh'. Script names must end in .ps1, .cmd, .bat, .py, .js, .mjs",
  );
  expect(() => findScriptCommand('setup.exe', WINDOWS)).toThrow(
    'Add a .cmd file with the line: start "" "C:\\path to the program\\setup.exe"',
  );
  expect(() => findScriptCommand('a.ps1', { platform: 'linux', env: { PATH: '/bin' } })).toThrow("can't run 'a.ps1'");
  expect(() => findScriptCommand('a.py', WINDOWS)).toThrow('has no py.exe or python.exe');
  expect(findScriptCommand('a.mjs', WINDOWS)).toMatchObject({ program: process.execPath, isVerbatim: false });
});

test('a program is found in PATH only in folders with a full path', () => {
  const folder = createTempFolderSync();
  writeFileSync(join(folder, 'python3'), '', { mode: 0o755 });
  expect(findScriptCommand('a.py', { platform: 'linux', env: { PATH: `bin:${folder}` } }).program).toBe(
    join(folder, 'python3'),
  );
  expect(() => findScriptCommand('a.py', { platform: 'linux', env: { PATH: 'bin' } })).toThrow('has no python3');
});

test.each(['a:b.cmd', 'nul.cmd', 'COM1.ps1', 'a.cmd ', 'a.cmd.', 'a"b.cmd', '100%.cmd', 'a?.ps1', 'a\\b.cmd'])(
  'Windows can have no file called %j',
  (name) => {
    expect(() => validateScriptName(name, WINDOWS)).toThrow('not a valid script name');
  },
);

test('other names are valid', () => {
  for (const name of ['back up & more.cmd', 'console.ps1', 'größe.cmd'])
    expect(() => validateScriptName(name, WINDOWS)).not.toThrow();
  expect(() => validateScriptName('a:b.sh', { platform: 'linux', env: {} })).not.toThrow();
});

test('scripts get the variables of the user, whatever their case, and none of the agent', () => {
  const env = { Path: 'C:\\', SystemRoot: 'C:\\Windows', 'ProgramFiles(x86)': 'C:\\P', NODE_OPTIONS: 'x', SECRET: 'y' };
  expect(Object.keys(getScriptEnvironment({ platform: 'win32', env }))).toEqual([
    'Path',
    'SystemRoot',
    'ProgramFiles(x86)',
  ]);
});

test('files have the encoding and line ends that Windows expects', () => {
  expect(formatScriptFile('a.ps1', '"ü"\n')).toBe('\uFEFF"ü"\n');
  expect(formatScriptFile('a.ps1', '\uFEFF"ü"\n')).toBe('\uFEFF"ü"\n');
  expect(formatScriptFile('a.CMD', 'one\ntwo\r\n')).toBe('one\r\ntwo\r\n');
  expect(formatScriptFile('a.sh', 'one\n')).toBe('one\n');
});
