import { expect, test } from 'vitest';
import { quoteForCommandLine } from '../../windowsService.ts';
import { formatWindowsName } from '../systemDrivers.ts';
import { encodeGuid } from './com.ts';
import { toNativeChord } from './hotkeys.ts';
import { decodeWideText, encodeWideText } from './libraries.ts';
import { encodeNotifyIcon, fitText, NOTIFY_ICON_BYTES } from './notifyIcon.ts';
import { getProgramNameOfPath } from './processTable.ts';
import type { LayoutKey } from './virtualKeys.ts';
import { isShown, toWindowHandle, toWindowId } from './windows.ts';

test('Windows 11 calls itself 10, so its build decides', () => {
  expect(formatWindowsName('Windows 10 Pro', '10.0.19045')).toBe('Windows 10 Pro');
  expect(formatWindowsName('Windows 10 Pro', '10.0.22631')).toBe('Windows 11 Pro');
  expect(formatWindowsName('Windows 11 Home', '10.0.26100')).toBe('Windows 11 Home');
  expect(formatWindowsName('Windows Server 2022', '10.0.20348')).toBe('Windows Server 2022');
  expect(formatWindowsName('', '10.0.19045')).toBe('Windows 10.0.19045');
});

test('arguments survive the command line of Windows', () => {
  expect(quoteForCommandLine('run')).toBe('run');
  expect(quoteForCommandLine('C:\\Program Files\\node.exe')).toBe('"C:\\Program Files\\node.exe"');
  expect(quoteForCommandLine('say "hi"')).toBe('"say \\"hi\\""');
  expect(quoteForCommandLine('a \\"b\\')).toBe('"a \\\\\\"b\\\\"');
  expect(quoteForCommandLine('')).toBe('""');
});

test('an identifier has its first three parts reversed', () => {
  expect(encodeGuid('BCDE0395-E52F-467C-8E3D-C4579291692E').toString('hex')).toBe('9503debc2fe57c468e3dc4579291692e');
});

test('texts end at their zero', () => {
  expect(decodeWideText(encodeWideText('Grüße 👋'))).toBe('Grüße 👋');
  expect(decodeWideText(Buffer.concat([encodeWideText('a'), encodeWideText('b')]))).toBe('a');
});

const findLayoutKey = (character: string): LayoutKey | undefined =>
  character === '+' ? { code: 0xbb, modifiers: ['Shift'] } : undefined;

test('a chord has the codes that Windows registers', () => {
  expect(toNativeChord({ modifiers: ['Ctrl', 'Alt'], key: 'R' }, findLayoutKey)).toEqual({ flags: 3, code: 0x52 });
  expect(toNativeChord({ modifiers: ['AltGr'], key: 'R' }, findLayoutKey)).toEqual({ flags: 3, code: 0x52 });
  expect(toNativeChord({ modifiers: ['Gui'], key: '+' }, findLayoutKey)).toEqual({ flags: 12, code: 0xbb });
  expect(toNativeChord({ modifiers: [], key: 'VolumeUp' }, findLayoutKey)).toEqual({ flags: 0, code: 0xaf });
  expect(toNativeChord({ modifiers: [], key: 'MicMute' }, findLayoutKey)).toBeUndefined();
});

test('a notification is cut between characters and is in its places', () => {
  expect(fitText('short', 10)).toBe('short');
  expect(fitText('👋'.repeat(10), 10)).toBe('👋👋👋👋…');
  const data = encodeNotifyIcon({ window: 5n, icon: 7n, title: 'Title', text: 'ü'.repeat(300) });
  expect(data).toHaveLength(NOTIFY_ICON_BYTES);
  expect([data.readUInt32LE(0), data.readBigUInt64LE(8), data.readBigUInt64LE(32)]).toEqual([976, 5n, 7n]);
  expect(decodeWideText(data.subarray(304, 816))).toBe(`${'ü'.repeat(254)}…`);
  expect(decodeWideText(data.subarray(820, 948))).toBe('Title');
});

test('a program is called like its file', () => {
  expect(getProgramNameOfPath('C:\\Windows\\System32\\notepad.EXE')).toBe('notepad');
  expect(getProgramNameOfPath('D:\\a.b\\My App.exe')).toBe('My App');
});

test('a negative handle is restored from the id of its window', () => {
  for (const handle of [0x1_0a2cn, 0xffff_ffff_8a0e_08d4n]) expect(toWindowHandle(toWindowId(handle))).toBe(handle);
  expect(toWindowId(0xffff_ffff_8a0e_08d4n)).toBe(0x8a0e_08d4);
});

test('windows on other desktops are open, and frames of apps that have ended are not', () => {
  const [NOT_CLOAKED, BY_PROGRAM, BY_DESKTOP] = [0, 1, 2];
  expect(isShown('Notepad', NOT_CLOAKED)).toBe(true);
  expect(isShown('Notepad', BY_DESKTOP)).toBe(true);
  expect(isShown('Notepad', BY_PROGRAM)).toBe(false);
  expect(isShown('ApplicationFrameWindow', NOT_CLOAKED)).toBe(true);
  expect(isShown('ApplicationFrameWindow', BY_DESKTOP)).toBe(false);
  expect(isShown('Windows.UI.Core.CoreWindow', NOT_CLOAKED)).toBe(false);
});
