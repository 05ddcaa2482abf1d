import type { WaylandConnection, WaylandObject } from '../wayland/connection.ts';

/** The first version that types keysyms, and so any character (Plasma 6.7). */
export const KEYSYM_VERSION = 6;

/** A keyboard and mouse of our own. KWin releases what they hold when the connection ends. */
export interface FakeInput {
  readonly objectId: number;
  readonly send: WaylandObject<'org_kde_kwin_fake_input'>['send'];
  /** Whether any character can be typed by its keysym. */
  readonly canTypeKeysyms: boolean;
}

/** Opens KWin's interface for input; undefined if KWin doesn't offer it to this program. */
export function openFakeInput(connection: WaylandConnection): FakeInput | undefined {
  const input = connection.bind('org_kde_kwin_fake_input', KEYSYM_VERSION);
  if (!input) return undefined;
  input.send('authenticate', 'Pegboard', 'Types and clicks for your own Pegboard');
  return {
    objectId: input.id,
    send: input.send,
    canTypeKeysyms: connection.getVersion('org_kde_kwin_fake_input') >= KEYSYM_VERSION,
  };
}
