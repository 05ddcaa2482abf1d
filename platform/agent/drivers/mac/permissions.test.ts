import { expect, test } from 'vitest';
import { explainControl, explainRecording, findPermittedProgram, listPermissionSteps } from './permissions.ts';
import { formatMacName, getMajorVersion, parseSystemVersion } from './systemVersion.ts';

const NODE = { name: 'node', path: '/Users/anna/Library/Application Support/Pegboard/program/node' };
const TERMINAL = { name: 'Terminal', path: undefined };

test('the permission is for the terminal that started the agent, or else for its own program', () => {
  expect(findPermittedProgram({ TERM_PROGRAM: 'Apple_Terminal' }, '/usr/bin/node')).toEqual(TERMINAL);
  expect(findPermittedProgram({ TERM_PROGRAM: 'tmux' }, '/usr/bin/node').name).toBe('your terminal');
  expect(findPermittedProgram({}, NODE.path)).toEqual(NODE);
});

test('the guide names the program, where it is, and each page of the settings', () => {
  const steps = listPermissionSteps({ canControl: false, canRecordScreen: false }, NODE, 15).join('\n');
  expect(steps).toContain('System Settings, Privacy & Security, Accessibility');
  expect(steps).toContain('Privacy & Security, Screen & System Audio Recording');
  expect(steps).toContain(`Cmd-Shift-G, and enter ${NODE.path}`);
  expect(steps).toContain('open "x-apple.systempreferences:com.apple.preference.security?Privacy_Accessibility"');
  expect(steps).toContain('Start the agent again');
});

test('the guide for a terminal has no path, and only what is missing is listed', () => {
  const steps = listPermissionSteps({ canControl: false, canRecordScreen: true }, TERMINAL, 14).join('\n');
  expect(steps).toContain('Switch on Terminal, from which you started the agent');
  expect(steps).not.toContain('Recording');
  expect(listPermissionSteps({ canControl: true, canRecordScreen: true }, TERMINAL, 14)).toEqual([]);
  expect(listPermissionSteps({ canControl: true, canRecordScreen: false }, TERMINAL, 14)[1]).toContain(
    'Privacy & Security, Screen Recording',
  );
});

test('the reasons are one sentence each, and short enough for the server', () => {
  for (const reason of [explainControl(NODE), explainRecording(NODE, 15)]) expect(reason.length).toBeLessThan(300);
  expect(explainControl(TERMINAL)).toContain('Accessibility, and switch on Terminal');
});

test('the version is read from macOS’s own file', () => {
  const file =
    '<dict>\n\t<key>ProductName</key>\n\t<string>macOS</string>\n\t<key>ProductVersion</key>\n\t<string>15.3.1</string>\n</dict>';
  expect(parseSystemVersion(file)).toBe('15.3.1');
  expect(parseSystemVersion('')).toBe('');
  expect([formatMacName('15.3.1'), formatMacName('26.0'), formatMacName('')]).toEqual([
    'macOS 15',
    'macOS 26',
    'macOS',
  ]);
  expect([getMajorVersion('15.3.1'), getMajorVersion('')]).toEqual([15, 0]);
});
