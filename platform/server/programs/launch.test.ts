import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getSkipReason } from '#testing/machine.ts';
import { createProcessRunner } from './processRunner.ts';

const LIMITS = { timeoutMs: 20_000, maxCpuSeconds: 20, maxFileBytes: 16 * 1024 * 1024 };
const lack = getSkipReason('bwrap');
const children = createProcessRunner({ log: pino({ level: 'silent' }) });

let root: string;
let venv: string;
const install = (name: string, text: string): string => {
  const path = join(root, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
};
const MODULE = "import sys\ndef main():\n    print('2026.01.02', ' '.join(sys.argv[1:]))\n";

/** Creates a virtual environment with a package, like pip does. */
beforeAll(() => {
  if (lack !== undefined) return;
  root = mkdtempSync(join(tmpdir(), 'pegboard-launch-'));
  venv = join(root, 'a place', 'venv');
  execFileSync('python3', ['-m', 'venv', '--without-pip', venv]);
  const python = execFileSync(join(venv, 'bin/python'), ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])']);
  const site = join(venv, 'lib', `python${String(python).trim()}`, 'site-packages');
  mkdirSync(join(site, 'yt_dlp'));
  writeFileSync(join(site, 'yt_dlp/__init__.py'), MODULE);
  writeFileSync(join(site, 'yt_dlp/__main__.py'), 'import yt_dlp\nyt_dlp.main()\n');
});
afterAll(async () => {
  await children.stop();
  if (root !== undefined) rmSync(root, { recursive: true });
});

const BODY = 'import yt_dlp\nyt_dlp.main()\n';
const runProgram = async (program: string, args: readonly string[] = ['--version']) => {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-'));
  try {
    const { exitCode, output, errorOutput } = await children.run({ program, args, folder, limits: LIMITS });
    return { code: exitCode, output: output.trim(), errors: errorOutput };
  } finally {
    rmSync(folder, { recursive: true });
  }
};
const works = { code: 0, output: '2026.01.02 --version', errors: '' };

test.skipIf(lack)(
  `a program that pip installed in a virtual environment runs, also if its path has a space (${lack ?? 'bwrap'})`,
  async () => {
    expect(await children.getSandbox()).toBe('bwrap');
    // As pip writes it if the path does not fit in a shebang.
    const long = install(
      'a place/venv/bin/yt-dlp',
      `#!/bin/sh\n'''exec' "${venv}/bin/python" "$0" "$@"\n' '''\n${BODY}`,
    );
    expect(await runProgram(long)).toEqual(works);
    const plain = join(root, 'venv');
    symlinkSync(venv, plain);
    expect(await runProgram(install('a place/venv/bin/plain', `#!${plain}/bin/python\n${BODY}`))).toEqual(works);
  },
);

test.skipIf(lack)('a program runs through links of pipx and uv, and through a chain of links', async () => {
  const script = install('a place/venv/bin/linked', `#!${join(root, 'venv')}/bin/python3\n${BODY}`);
  mkdirSync(join(root, 'bin'), { recursive: true });
  symlinkSync(script, join(root, 'bin/one'));
  symlinkSync('one', join(root, 'bin/yt-dlp'));
  expect(await runProgram(join(root, 'bin/yt-dlp'))).toEqual(works);
});

test.skipIf(lack)('a shell script runs programs by absolute path, or next to itself', async () => {
  const python = `${join(root, 'venv')}/bin/python`;
  const wrappers = [
    `#!/bin/sh\nexec "${venv}/bin/python" -m yt_dlp "$@"\n`,
    `#!/bin/bash\n# a comment\n${python} -m yt_dlp "$@"\n`,
    `#!/usr/bin/env bash\nexec ${join(root, 'bin/yt-dlp')} "$@"\n`,
    `#!/bin/sh\nexec "$(dirname "$0")/bin/yt-dlp" "$@"\n`,
    `#!/bin/sh\nexec "$(dirname "$(readlink -f "$0")")"/bin/yt-dlp "$@"\n`,
    `#!/bin/sh\n. "${venv}/bin/activate"\nexec python -m yt_dlp "$@"\n`,
  ];
  for (const [at, wrapper] of wrappers.entries())
    expect([wrapper, await runProgram(install(`wrapper${at}`, wrapper))]).toEqual([wrapper, works]);
});

test.skipIf(lack)(
  'a script for the system Python runs, and finds packages that were installed for one user',
  async () => {
    const version = String(
      execFileSync('/usr/bin/python3', ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])']),
    ).trim();
    install(`user/lib/python${version}/site-packages/yt_dlp/__init__.py`, MODULE);
    expect(await runProgram(install('user/bin/yt-dlp', `#!/usr/bin/python3\n${BODY}`))).toEqual(works);
    expect(await runProgram(install('zipapp', `#!/usr/bin/env python3\nprint('2026.01.02 --version')\n`))).toEqual(
      works,
    );
  },
);

test.skipIf(lack)('an editable package runs', async () => {
  install('source/yt_dlp_source/__init__.py', MODULE);
  const site = String(
    execFileSync(join(venv, 'bin/python'), ['-c', 'import sysconfig; print(sysconfig.get_paths()["purelib"])']),
  ).trim();
  writeFileSync(join(site, '__editable__.pth'), `${join(root, 'source')}\n`);
  const script = install(
    'a place/venv/bin/editable',
    `#!${join(root, 'venv')}/bin/python\nimport yt_dlp_source\nyt_dlp_source.main()\n`,
  );
  expect(await runProgram(script)).toEqual(works);
});

test.skipIf(lack)('nothing else in the folders around it is visible, and nothing there is writable', async () => {
  install('a place/secret.txt', 'secret');
  install('secret.txt', 'secret');
  const probe =
    `import os\nprint([os.path.exists(p) for p in ${JSON.stringify([join(root, 'secret.txt'), join(root, 'a place/secret.txt'), '/etc/shadow'])}])
try:\n    open(${JSON.stringify(join(venv, 'bin/x'))}, 'w')\nexcept OSError as e:\n    print(e.errno)\n`.replaceAll(
      'true',
      'True',
    );
  const { output } = await runProgram(
    install('a place/venv/bin/probe', `#!${join(root, 'venv')}/bin/python\n${probe}`),
  );
  expect(output).toBe('[False, False, False]\n30');
});
