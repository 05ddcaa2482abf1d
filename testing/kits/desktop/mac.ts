// A library of fakes instead of macOS, which runs only on Macs. It shows that each call has the right signature, order
// and arguments, and that nothing leaks; it can't show what a Mac makes of them.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { MacLibraryPaths } from '#platform/agent/drivers/mac/frameworks.ts';
import { getFfi } from '#platform/agent/drivers/native/ffi.ts';

const SOURCES = globSync(resolve('testing/kits/desktop/macFakes/*.c'));

const FAKE_FUNCTIONS = {
  fake_take_log: { arguments: [], return: 'pointer' },
  fake_take_document: { arguments: [], return: 'pointer' },
  fake_get_called: { arguments: [], return: 'pointer' },
  fake_get_live: { arguments: [], return: 'int32' },
  fake_set_permissions: { arguments: ['int32', 'int32', 'int32'], return: 'void' },
  fake_set_pointer: { arguments: ['double', 'double'], return: 'void' },
  fake_set_screen: { arguments: ['int32', 'double', 'double', 'double', 'double'], return: 'void' },
  fake_set_idle: { arguments: ['double'], return: 'void' },
  fake_clear_windows: { arguments: [], return: 'void' },
  fake_add_window: { arguments: ['int32', 'int32', 'int32', 'double', 'string', 'string'], return: 'void' },
  fake_set_front: { arguments: ['int32'], return: 'void' },
  fake_add_process: { arguments: ['int32', 'int32', 'string'], return: 'void' },
  fake_set_layout: { arguments: ['string'], return: 'void' },
  fake_set_handler_status: { arguments: ['int32'], return: 'void' },
  fake_send_hotkey: { arguments: ['uint32', 'uint32', 'int32', 'int32'], return: 'int32' },
  fake_get_hotkey_count: { arguments: [], return: 'int32' },
  fake_get_run_loop_count: { arguments: [], return: 'int32' },
  fake_set_secure: { arguments: ['int32'], return: 'void' },
  fake_add_device: { arguments: ['int32', 'string', 'int32', 'int32', 'int32'], return: 'void' },
  fake_set_volume: { arguments: ['int32', 'int32', 'double'], return: 'void' },
  fake_get_volume: { arguments: ['int32', 'int32'], return: 'double' },
  fake_get_muted: { arguments: ['int32'], return: 'int32' },
  fake_set_default_output: { arguments: ['int32'], return: 'void' },
  fake_clear_devices: { arguments: [], return: 'void' },
  fake_add_sound: { arguments: ['int32', 'int32', 'int32', 'int32'], return: 'void' },
  fake_clear_sounds: { arguments: [], return: 'void' },
  fake_get_pool_depth: { arguments: [], return: 'int32' },
} as const;

/** A fake Mac: its libraries, and what happens to it. */
export interface FakeMac extends Disposable {
  /** A folder for the files of a test. */
  readonly folder: string;
  readonly libraries: MacLibraryPaths;
  readonly fakes: ReturnType<typeof loadFakes>;
  /** Returns what was called with which arguments since the last time. */
  readonly takeLog: () => readonly string[];
  /** Returns the text that was typed since the last time. */
  readonly takeDocument: () => string;
  /** Returns the names of the functions that were called. */
  readonly listCalled: () => ReadonlySet<string>;
  /** Returns how many objects were not released. */
  readonly countLiveObjects: () => number;
  /** Environment in which a program of macOS is this script. Its arguments and input are in `<name>.args`, `.input`. */
  readonly createProgram: (name: string, script: string) => NodeJS.ProcessEnv;
  readonly readProgramFile: (name: string) => string;
}

/** Opens what controls the fakes. */
export const loadFakes = (library: string) => getFfi().dlopen(library, FAKE_FUNCTIONS).functions;

/** Builds the fakes. Each fake Mac has its own copy, so that tests don't share its state. */
export function createFakeMac(): FakeMac {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-mac-'));
  const library = join(folder, 'libFakes.so');
  // Without `-Bsymbolic`, calls between the fakes could end in another copy of them.
  const options = ['-Wall', '-Wextra', '-Werror', '-O1', '-shared', '-fPIC', '-Wl,-Bsymbolic'];
  const { status, stderr } = spawnSync('gcc', [...options, '-o', library, ...SOURCES], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  const ffi = getFfi();
  const fakes = loadFakes(library);
  const readText = (pointer: bigint): string => ffi.toString(pointer) ?? '';
  const programs = join(folder, 'bin');
  mkdirSync(programs);
  return {
    folder,
    libraries: {
      coreFoundation: library,
      applicationServices: library,
      carbon: library,
      coreAudio: library,
      appKit: library,
      objectiveC: library,
      system: library,
    },
    fakes,
    takeLog: () =>
      readText(fakes.fake_take_log())
        .split('\n')
        .filter((line) => line !== ''),
    takeDocument: () => readText(fakes.fake_take_document()),
    listCalled: () => new Set(readText(fakes.fake_get_called()).split('\n')),
    countLiveObjects: fakes.fake_get_live,
    createProgram: (name, script) => {
      const path = join(programs, name);
      const header = `#!/bin/sh\ncd '${folder}'\nprintf '%s\\n' "$@" > ${name}.args\nprintf '%s' "$LANG" > ${name}.lang\n`;
      writeFileSync(path, `${header}${script}\n`);
      chmodSync(path, 0o755);
      return { PATH: `${programs}:/usr/bin:/bin` };
    },
    readProgramFile: (name) => {
      const path = join(folder, name);
      return existsSync(path) ? readFileSync(path, 'utf8') : '';
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
