import { vi } from 'vitest';

/**
 * Loads a module that needs a window, for tests of its functions that need none.
 * Modules are loaded again afterwards, because those of this call listen to a window that is gone.
 */
export async function loadWithWindow<Module>(load: () => Promise<Module>): Promise<Module> {
  vi.stubGlobal('window', new EventTarget());
  vi.stubGlobal('document', { cookie: '' });
  try {
    return await load();
  } finally {
    vi.unstubAllGlobals();
    vi.resetModules();
  }
}
