import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const COOKIE_BYTES = 256;
/** What a sound server that knows us by our user takes in place of a cookie. */
const NO_COOKIE = Buffer.alloc(COOKIE_BYTES);

/**
 * Where the sound servers listen that the environment names, the likeliest first: `PULSE_SERVER` (of its servers those on a socket
 * of this computer), else the user's own.
 */
export const listSocketPaths = (env: NodeJS.ProcessEnv): readonly string[] => {
  const named = env['PULSE_SERVER'];
  if (named)
    return named.split(/\s+/).flatMap((one) => {
      const path = one.replace(/^\{[^}]*\}/, '').replace(/^unix:/, '');
      return path.startsWith('/') ? [path] : [];
    });
  const own = env['PULSE_RUNTIME_PATH'];
  if (own) return [join(own, 'native')];
  const runtime = env['XDG_RUNTIME_DIR'];
  return runtime ? [join(runtime, 'pulse', 'native')] : [];
};

const readCookie = async (path: string): Promise<Buffer | undefined> => {
  try {
    const read = await readFile(path);
    return read.length === COOKIE_BYTES ? read : undefined;
  } catch {
    return undefined; // no cookie there, which is usual with PipeWire
  }
};

/** What proves us to the sound server. */
export const readPulseCookie = async (env: NodeJS.ProcessEnv): Promise<Buffer> => {
  const home = env['HOME'];
  const path = env['PULSE_COOKIE'] ?? (home ? join(home, '.config/pulse/cookie') : undefined);
  return (path === undefined ? undefined : await readCookie(path)) ?? NO_COOKIE;
};
