import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTempFolderSync } from '#testing/kits/server/tempFolder.ts';
import { formatLaunchAgent } from './launchAgent.ts';
import { installService, toServiceExitCode, uninstallService } from './service.ts';
import { getFolders } from './settings.ts';

/** A home folder of a Mac. `script` is what its launchctl does after recording its arguments. */
function createHome(script: string) {
  const home = createTempFolderSync();
  const bin = join(home, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'launchctl'), `#!/bin/sh\necho "$@" >> '${home}/calls.log'\n${script}\n`);
  chmodSync(join(bin, 'launchctl'), 0o755);
  const agentFile = join(home, 'agent.mjs');
  writeFileSync(agentFile, 'agent');
  const env = { HOME: home, PATH: `${bin}:/bin:/usr/bin` };
  const folders = getFolders(env, 'darwin');
  return {
    options: { env, folders, agentFile, flags: ['--allow-scripts'] },
    description: join(home, 'Library/LaunchAgents/org.pegboard.agent.plist'),
    copy: join(folders.data, 'agent.mjs'),
    readCalls: () => readFileSync(join(home, 'calls.log'), 'utf8').trim().split('\n'),
  };
}
const DOMAIN = `gui/${userInfo().uid}`;

test('launchd runs a copy of the agent with the owner’s flags, now and with each login', () => {
  const { options, description, copy, readCalls } = createHome('');
  expect(installService(options, 'darwin').join('\n')).toContain('It is running now');
  const text = readFileSync(description, 'utf8');
  expect(text).toContain(
    `<string>${copy}</string><string>run</string><string>--allow-scripts</string><string>--service</string></array>`,
  );
  expect(text).toContain('<key>RunAtLoad</key><true/>');
  expect(text).toContain('<key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>');
  expect(text).toMatch(/<key>PATH<\/key><string>.*\/opt\/homebrew\/bin/);
  expect(readFileSync(copy, 'utf8')).toBe('agent');
  expect(readCalls()).toEqual([`bootout ${DOMAIN}/org.pegboard.agent`, `bootstrap ${DOMAIN} ${description}`]);
});

test('while the previous agent is ending, the start is tried again', () => {
  const { options, readCalls } = createHome('[ "$(grep -c bootstrap "$HOME/calls.log")" -ge 2 ]');
  expect(installService(options, 'darwin')).toContain('It is running now');
  expect(readCalls().filter((call) => call.startsWith('bootstrap'))).toHaveLength(2);
});

test('uninstall ends the agent and removes everything', () => {
  const { options, description, copy, readCalls } = createHome('');
  installService(options, 'darwin');
  uninstallService(options, 'darwin');
  expect([description, copy].filter((path) => existsSync(path))).toEqual([]);
  expect(readCalls().at(-1)).toBe(`bootout ${DOMAIN}/org.pegboard.agent`);
});

test('paths with special characters stay the same', () => {
  expect(formatLaunchAgent(['/Users/a & <b>/node'], '/log', '/bin')).toContain(
    '<string>/Users/a &amp; &lt;b&gt;/node</string>',
  );
});

test('launchd restarts the agent after a failure and an update, and not after its end', () => {
  for (const [code, isUpdated, expected] of [
    [0, false, 0],
    [0, true, 75],
    [1, false, 1],
    [78, false, 0],
    [78, true, 0],
  ] as const)
    expect(toServiceExitCode(code, { isService: true, isUpdated }, 'darwin')).toBe(expected);
  expect(toServiceExitCode(78, { isService: true, isUpdated: false }, 'linux')).toBe(78);
  expect(toServiceExitCode(78, { isService: false, isUpdated: false }, 'darwin')).toBe(78);
});
