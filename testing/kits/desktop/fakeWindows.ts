// Libraries of fakes instead of those of Windows, for what can't happen under Wine, such as a program that hangs.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { getFfi } from '#platform/agent/drivers/native/ffi.ts';

const SOURCE = resolve('testing/kits/desktop/windowsFakes/windows.c');

const FAKE_FUNCTIONS = {
  fake_set_owner_hung: { arguments: ['int32'], return: 'void' },
  fake_set_box: { arguments: ['int32', 'int32'], return: 'void' },
  fake_get_boxes: { arguments: [], return: 'uint32' },
  fake_get_quit_messages: { arguments: [], return: 'uint32' },
  fake_set_thread_slow: { arguments: ['int32'], return: 'void' },
  fake_set_cursor: { arguments: ['int32', 'int32'], return: 'void' },
  fake_refuse_input: { arguments: ['uint32'], return: 'void' },
  fake_get_attempts: { arguments: [], return: 'uint32' },
  fake_set_last_error: { arguments: ['uint32'], return: 'void' },
} as const;

/** Builds a library, and loads it: the next ones that open it by its name in this process get it. */
function loadLibrary(folder: string, name: string) {
  const path = join(folder, `${name}.so`);
  const options = ['-Wall', '-Werror', '-O1', '-shared', '-fPIC', '-Wl,-Bsymbolic', `-Wl,-soname,${name}`];
  const { status, stderr } = spawnSync('gcc', [...options, '-o', path, SOURCE], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return getFfi().dlopen(path, FAKE_FUNCTIONS).functions;
}

/** Loads the fakes into this process. Returns what controls them. */
export function loadFakeWindows() {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-windows-'));
  try {
    loadLibrary(folder, 'shell32.dll');
    return { user32: loadLibrary(folder, 'user32.dll'), kernel32: loadLibrary(folder, 'kernel32.dll') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
