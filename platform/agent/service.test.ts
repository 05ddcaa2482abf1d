import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTempFolderSync } from '#testing/kits/server/tempFolder.ts';
import { installService, quoteForDesktopEntry, quoteForUnit, uninstallService } from './service.ts';
import { getFolders } from './settings.ts';

/** A home folder; with `systemd`, PATH contains a `systemctl` that records its arguments. */
function createHome(systemd: boolean) {
  const home = createTempFolderSync();
  const bin = join(home, 'bin');
  mkdirSync(bin);
  if (systemd) {
    writeFileSync(join(bin, 'systemctl'), `#!/bin/sh\necho "$@" >> ${join(home, 'calls.log')}\n`);
    chmodSync(join(bin, 'systemctl'), 0o755);
  }
  const agentFile = join(home, 'agent.mjs');
  writeFileSync(agentFile, 'agent');
  const env = { HOME: home, PATH: systemd ? `${bin}:/bin:/usr/bin` : bin };
  return {
    options: { env, folders: getFolders(env), agentFile, flags: ['--allow-scripts'] },
    unit: join(home, '.config/systemd/user/pegboard-agent.service'),
    desktop: join(home, '.config/autostart/pegboard-agent.desktop'),
    copy: join(home, '.local/share/pegboard/agent.mjs'),
    readSystemctlCalls: () => readFileSync(join(home, 'calls.log'), 'utf8'),
  };
}

test('with systemd a unit runs a copy of the agent with the owner’s flags, and the desktop starts it', () => {
  const { options, unit, desktop, copy, readSystemctlCalls } = createHome(true);
  expect(installService(options).join('\n')).toContain('It is running now');
  const text = readFileSync(unit, 'utf8');
  expect(text).toContain(`"${copy}" "run" "--allow-scripts" "--service"`);
  expect(text).toContain('ExecStart="/usr/bin/env" "MALLOC_ARENA_MAX=1" "');
  expect(text).toContain('RestartPreventExitStatus=78');
  expect(readFileSync(copy, 'utf8')).toBe('agent');
  expect(readFileSync(desktop, 'utf8')).toMatch(
    /^Exec="sh" "-c" "systemctl --user import-environment DISPLAY .*restart/m,
  );
  expect(readSystemctlCalls()).toMatch(/--user restart pegboard-agent\.service/);
});

test('without systemd the desktop starts the agent itself', () => {
  const { options, unit, desktop, copy } = createHome(false);
  expect(installService(options).join('\n')).toContain('systemd is not available');
  expect(existsSync(unit)).toBe(false);
  expect(readFileSync(desktop, 'utf8')).toContain(`"${copy}" "run" "--allow-scripts" "--autostart"`);
});

test('on KDE a copy of Node runs the agent, and only that copy may type', () => {
  const { options, unit, copy } = createHome(true);
  const env = { ...options.env, XDG_CURRENT_DESKTOP: 'KDE' };
  installService({ ...options, env });
  const program = join(copy, '../pegboard-agent');
  expect(readFileSync(program).length).toBe(readFileSync(process.execPath).length);
  expect(readFileSync(unit, 'utf8')).toContain(`"${program}" "--disable-warning=ExperimentalWarning" "${copy}"`);
  const entry = join(env.HOME, '.local/share/applications/pegboard-agent.desktop');
  expect(readFileSync(entry, 'utf8')).toContain(
    `Exec="${program}"\nNoDisplay=true\nX-KDE-Wayland-Interfaces=org_kde_kwin_fake_input,`,
  );
  uninstallService(options);
  expect([entry, program].filter((path) => existsSync(path))).toEqual([]);
});

test('uninstall reverts everything', () => {
  const { options, unit, desktop, copy } = createHome(true);
  installService(options);
  uninstallService(options);
  expect([unit, desktop, copy].filter((path) => existsSync(path))).toEqual([]);
});

test('paths with spaces, quotes, dollars and percent signs stay the same', () => {
  expect(quoteForUnit('/home/a b/50% "x" $y\\z')).toBe('"/home/a b/50%% \\"x\\" $$y\\\\z"');
  expect(quoteForDesktopEntry('/home/a b/50% "x" $y')).toBe('"/home/a b/50%% \\\\"x\\\\" \\\\$y"');
});
