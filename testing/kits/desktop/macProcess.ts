import type * as Ffi from 'node:ffi';
// Makes a program of ours run as on a Mac, with the fakes of `mac.ts` in its own process: preload it with `--import`.
// `PEGBOARD_FAKE_MAC` is the folder of a fake Mac. What happens is appended to files there.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAC_LIBRARY_PATHS } from '#platform/agent/drivers/mac/frameworks.ts';
import { loadFakes } from './mac.ts';

const READ_INTERVAL_MS = 20;
const folder = process.env['PEGBOARD_FAKE_MAC'] ?? '';
const library = join(folder, 'libFakes.so');
const macPaths = new Set<string>(Object.values(MAC_LIBRARY_PATHS));
const ffi = process.getBuiltinModule('node:ffi');
const fakes = loadFakes(library);
const getModule = process.getBuiltinModule.bind(process);
const dlopen: typeof Ffi.dlopen = (path, definitions) =>
  ffi.dlopen(path !== null && macPaths.has(path) ? library : path, definitions);
const replaced: unknown = Object.assign(Object.create(ffi), { dlopen });

Object.defineProperty(process, 'platform', { value: 'darwin' });
Object.defineProperty(process, 'getBuiltinModule', {
  value: (name: string): unknown => (name === 'node:ffi' ? replaced : getModule(name)),
});
fakes.fake_set_front(500);
fakes.fake_add_window(1, 500, 0, 1, 'TextEdit', 'Untitled');
fakes.fake_add_device(42, 'Speakers', 1, 1, 0);
fakes.fake_set_default_output(42);

function exchange(): void {
  const permissions = join(folder, 'permissions');
  const isPermitted = existsSync(permissions) && readFileSync(permissions, 'utf8') === 'yes' ? 1 : 0;
  fakes.fake_set_permissions(isPermitted, isPermitted, isPermitted);
  for (const [name, pointer] of [
    ['document', fakes.fake_take_document()],
    [`${process.pid}.log`, fakes.fake_take_log()],
  ] as const) {
    const text = ffi.toString(pointer) ?? '';
    if (text !== '') appendFileSync(join(folder, name), text);
  }
}
exchange();
setInterval(exchange, READ_INTERVAL_MS).unref();
process.once('exit', exchange);
