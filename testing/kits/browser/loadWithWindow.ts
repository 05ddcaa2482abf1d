import { vi } from 'vitest';

/**
 * Loads a module that needs a window and its document, for tests of its functions that need none. Discards what was loaded with it, so
 * that other test files don't get modules that listen to this window.
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
