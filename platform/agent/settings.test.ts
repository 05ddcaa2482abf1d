import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ABILITY_NAMES } from '#platform/contract/device.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { createTempFolderSync } from '#testing/kits/server/tempFolder.ts';
import { resolveAllowed, getFolders, loadSettings, saveSettings } from './settings.ts';

const SETTINGS = { origin: 'http://127.0.0.1:8300', token: 'pgd_secret', name: 'Desk' };

test('saved settings are read back, and only their owner can read them', () => {
  const folders = getFolders({ HOME: createTempFolderSync() });
  expect(loadSettings(folders)).toBeUndefined();
  saveSettings(folders, SETTINGS);
  expect(loadSettings(folders)).toEqual(SETTINGS);
  expect(statSync(join(folders.config, 'agent.json')).mode & 0o777).toBe(0o600);
  expect(statSync(folders.config).mode & 0o777).toBe(0o700);
});

test('a broken file is reported with its path', () => {
  const folders = getFolders({ HOME: createTempFolderSync() });
  saveSettings(folders, SETTINGS);
  writeFileSync(join(folders.config, 'agent.json'), '{"origin":');
  expect(() => loadSettings(folders)).toThrow(Refusal);
});

test('folders follow the XDG rules', () => {
  const folders = getFolders({ HOME: '/home/anna', XDG_CONFIG_HOME: '/c', XDG_RUNTIME_DIR: '/run/user/1' });
  expect(folders.config).toBe('/c/pegboard');
  expect(folders.state).toBe('/home/anna/.local/state/pegboard');
  expect(folders.socket).toBe('/run/user/1/pegboard-agent.sock');
  expect(getFolders({ HOME: '/home/anna' }).socket).toBe('/home/anna/.local/state/pegboard/pegboard-agent.sock');
});

test('folders follow the rules of Windows', () => {
  const env = {
    USERNAME: 'anna',
    USERPROFILE: 'C:\\Users\\anna',
    APPDATA: 'D:\\Roaming',
    LOCALAPPDATA: 'C:\\Users\\anna\\AppData\\Local',
    XDG_CONFIG_HOME: '/c',
  };
  const local = 'C:\\Users\\anna\\AppData\\Local\\pegboard';
  expect(getFolders(env, 'win32')).toEqual({
    config: 'D:\\Roaming\\pegboard',
    state: `${local}\\state`,
    data: local,
    socket: '\\\\.\\pipe\\pegboard-agent-anna',
  });
  expect(getFolders({ USERPROFILE: 'C:\\Users\\anna' }, 'win32')).toEqual({
    config: 'C:\\Users\\anna\\AppData\\Roaming\\pegboard',
    state: `${local}\\state`,
    data: local,
    socket: '\\\\.\\pipe\\pegboard-agent-anna',
  });
});

test('clipboard, scripts and capture are off and all else is on by default; flags take precedence over the file', () => {
  const offByDefault = ABILITY_NAMES.filter((name) => !resolveAllowed(SETTINGS, {})[name]);
  expect(offByDefault).toEqual(['clipboard', 'scripts', 'capture']);
  const settings = { ...SETTINGS, allow: { scripts: true, mouse: false } };
  expect(resolveAllowed(settings, {})).toMatchObject({ scripts: true, mouse: false, keyboard: true });
  expect(resolveAllowed(settings, { mouse: true, keyboard: false })).toMatchObject({ mouse: true, keyboard: false });
});

test('on macOS everything is in the folder for applications, and the path of the socket is short enough', () => {
  const folders = getFolders({ HOME: '/Users/somebody-with-a-long-name' }, 'darwin');
  expect(folders.config).toBe('/Users/somebody-with-a-long-name/Library/Application Support/Pegboard');
  expect(folders.state).toBe(join(folders.config, 'state'));
  expect(folders.socket.length).toBeLessThan(104);
});
