import { Refusal } from '#platform/contract/refusal.ts';
import type { DesktopSession } from './desktopSession.ts';
import { findGnome, openGnomeSession } from './gnome/session.ts';
import type { GuardianCommand } from './guardian.ts';
import { openKdeSession } from './kde/session.ts';
import { openMacSession } from './mac/session.ts';
import { openWaylandSession } from './wayland/session.ts';
import { openWindowsSession } from './windows/session.ts';
import { openXSession } from './x11/session.ts';

export interface DesktopSessionOptions {
  /** The environment that describes the desktop: DISPLAY, WAYLAND_DISPLAY, XDG_RUNTIME_DIR, SWAYSOCK. */
  readonly env: NodeJS.ProcessEnv;
  /** Path of the file with the held inputs. */
  readonly heldPath: string;
  readonly guardian?: GuardianCommand | undefined;
}

/** Whether the desktop is a Wayland compositor. */
const isWayland = (env: NodeJS.ProcessEnv): boolean =>
  env['XDG_SESSION_TYPE'] === 'wayland' || Boolean(env['WAYLAND_DISPLAY']);

function createUnusableRefusal(desktop: string, cause: unknown): Refusal {
  const problem = cause instanceof Error ? cause.message : String(cause);
  return new Refusal('device.no_display', `The agent can't use ${desktop} of that computer: ${problem}`, { cause });
}

async function openWaylandDesktop(options: DesktopSessionOptions): Promise<DesktopSession> {
  const gnomeBus = await findGnome(options.env);
  if (gnomeBus) return openGnomeSession({ ...options, bus: gnomeBus });
  return (await openKdeSession(options)) ?? openWaylandSession(options);
}

async function openSession(options: DesktopSessionOptions): Promise<DesktopSession> {
  const { env } = options;
  if (process.platform === 'darwin') return openMacSession(options);
  if (process.platform === 'win32') return openWindowsSession(options);
  if (process.platform !== 'linux')
    throw new Refusal(
      'device.unsupported_desktop',
      'This version of the agent can type only on Linux, Windows and macOS',
    );
  if (isWayland(env)) return openWaylandDesktop(options);
  const display = env['DISPLAY'];
  if (!display) throw new Refusal('device.no_display', 'No display was found on that computer. Log in to its desktop');
  return openXSession({ ...options, display }).catch((cause: unknown) => {
    throw createUnusableRefusal(`display ${display}`, cause);
  });
}

/**
 * Finds out which desktop this computer runs, and opens its drivers.
 * @throws Refusal if there is none, or the agent can't use it.
 */
export async function openDesktopSession(options: DesktopSessionOptions): Promise<DesktopSession> {
  try {
    return await openSession(options);
  } catch (cause) {
    // A desktop may end while it is being opened.
    throw cause instanceof Refusal ? cause : createUnusableRefusal('the desktop', cause);
  }
}
