import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getSkipReason } from '#testing/machine.ts';
import { createProcessRunner } from './processRunner.ts';

const LIMITS = { timeoutMs: 20_000, maxCpuSeconds: 20, maxFileBytes: 16 * 1024 * 1024 };
const skipReason = getSkipReason('bwrap');
const processRunner = createProcessRunner({ log: pino({ level: 'silent' }) });

let root: string;
let venv: string;
function installScript(name: string, text: string): string {
  const path = join(root, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}
const MODULE = "import sys\ndef main():\n    print('2026.01.02', ' '.join(sys.argv[1:]))\n";

/** Creates a virtual environment with a package, like pip does. */
beforeAll(() => {
  if (skipReason !== undefined) return;
  root = mkdtempSync(join(tmpdir(), 'pegboard-launch-'));
  venv = join(root, 'a place', 'venv');
  execFileSync('python3', ['-m', 'venv', '--without-pip', venv]);
  const python = execFileSync(join(venv, 'bin/python'), ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])']);
  const sitePackages = join(venv, 'lib', `python${String(python).trim()}`, 'site-packages');
  mkdirSync(join(sitePackages, 'yt_dlp'));
  writeFileSync(join(sitePackages, 'yt_dlp/__init__.py'), MODULE);
  writeFileSync(join(sitePackages, 'yt_dlp/__main__.py'), 'import yt_dlp\nyt_dlp.main()\n');
});
afterAll(async () => {
  await processRunner.stop();
  if (root !== undefined) rmSync(root, { recursive: true });
});

const SCRIPT_BODY = 'import yt_dlp\nyt_dlp.main()\n';
async function runProgram(program: string, args: readonly string[] = ['--version']) {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-'));
  try {
    const { exitCode, output, errorOutput } = await processRunner.run({ program, args, folder, limits: LIMITS });
    return { code: exitCode, output: output.trim(), errors: errorOutput };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
const WORKING_RESULT = { code: 0, output: '2026.01.02 --version', errors: '' };

test.skipIf(skipReason)(
  `a program that pip installed in a virtual environment runs, also if its path has a space (${skipReason ?? 'bwrap'})`,
  async () => {
    expect(await processRunner.getSandbox()).toBe('bwrap');
    // As pip writes it if the path does not fit in a shebang.
    const longPathScript = installScript(
      'a place/venv/bin/yt-dlp',
      `#!/bin/sh\n'''exec' "${venv}/bin/python" "$0" "$@"\n' '''\n${SCRIPT_BODY}`,
    );
    expect(await runProgram(longPathScript)).toEqual(WORKING_RESULT);
    const shortPath = join(root, 'venv');
    symlinkSync(venv, shortPath);
    expect(
      await runProgram(installScript('a place/venv/bin/plain', `#!${shortPath}/bin/python\n${SCRIPT_BODY}`)),
    ).toEqual(WORKING_RESULT);
  },
);

test.skipIf(skipReason)('a program runs through links of pipx and uv, and through a chain of links', async () => {
  const script = installScript('a place/venv/bin/linked', `#!${join(root, 'venv')}/bin/python3\n${SCRIPT_BODY}`);
  mkdirSync(join(root, 'bin'), { recursive: true });
  symlinkSync(script, join(root, 'bin/one'));
  symlinkSync('one', join(root, 'bin/yt-dlp'));
  expect(await runProgram(join(root, 'bin/yt-dlp'))).toEqual(WORKING_RESULT);
});

test.skipIf(skipReason)('a shell script runs programs by absolute path, or next to itself', async () => {
  const python = `${join(root, 'venv')}/bin/python`;
  const wrappers = [
    `#!/bin/sh\nexec "${venv}/bin/python" -m yt_dlp "$@"\n`,
    `#!/bin/bash\n# a comment\n${python} -m yt_dlp "$@"\n`,
    `#!/usr/bin/env bash\nexec ${join(root, 'bin/yt-dlp')} "$@"\n`,
    `#!/bin/sh\nexec "$(dirname "$0")/bin/yt-dlp" "$@"\n`,
    `#!/bin/sh\nexec "$(dirname "$(readlink -f "$0")")"/bin/yt-dlp "$@"\n`,
    `#!/bin/sh\n. "${venv}/bin/activate"\nexec python -m yt_dlp "$@"\n`,
  ];
  for (const [index, wrapper] of wrappers.entries())
    expect([wrapper, await runProgram(installScript(`wrapper${index}`, wrapper))]).toEqual([wrapper, WORKING_RESULT]);
});

test.skipIf(skipReason)(
  'a script for the system Python runs, and finds packages that were installed for one user',
  async () => {
    const version = String(
      execFileSync('/usr/bin/python3', ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])']),
    ).trim();
    installScript(`user/lib/python${version}/site-packages/yt_dlp/__init__.py`, MODULE);
    expect(await runProgram(installScript('user/bin/yt-dlp', `#!/usr/bin/python3\n${SCRIPT_BODY}`))).toEqual(
      WORKING_RESULT,
    );
    expect(
      await runProgram(installScript('zipapp', `#!/usr/bin/env python3\nprint('2026.01.02 --version')\n`)),
    ).toEqual(WORKING_RESULT);
  },
);

test.skipIf(skipReason)('an editable package runs', async () => {
  installScript('source/yt_dlp_source/__init__.py', MODULE);
  const sitePackages = String(
    execFileSync(join(venv, 'bin/python'), ['-c', 'import sysconfig; print(sysconfig.get_paths()["purelib"])']),
  ).trim();
  writeFileSync(join(sitePackages, '__editable__.pth'), `${join(root, 'source')}\n`);
  const script = installScript(
    'a place/venv/bin/editable',
    `#!${join(root, 'venv')}/bin/python\nimport yt_dlp_source\nyt_dlp_source.main()\n`,
  );
  expect(await runProgram(script)).toEqual(WORKING_RESULT);
});

test.skipIf(skipReason)('nothing else in the folders around it is visible, and nothing there is writable', async () => {
  installScript('a place/secret.txt', 'secret');
  installScript('secret.txt', 'secret');
  const probe =
    `import os\nprint([os.path.exists(p) for p in ${JSON.stringify([join(root, 'secret.txt'), join(root, 'a place/secret.txt'), '/etc/shadow'])}])
try:\n    open(${JSON.stringify(join(venv, 'bin/x'))}, 'w')\nexcept OSError as e:\n    print(e.errno)\n`.replaceAll(
      'true',
      'True',
    );
  const { output } = await runProgram(
    installScript('a place/venv/bin/probe', `#!${join(root, 'venv')}/bin/python\n${probe}`),
  );
  expect(output).toBe('[False, False, False]\n30');
});
