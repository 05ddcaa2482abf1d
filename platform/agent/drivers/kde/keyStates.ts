import type { WaylandConnection } from '../wayland/connection.ts';

/** The last version whose events this file knows. */
const MAX_VERSION = 5;
const MODIFIERS_VERSION = 5;
const CAPS_LOCK = 0;
const SHIFT = 5;
const UNLOCKED = 0;
const LOCKED = 2;
/** Names of modifiers for people, by KWin's numbers. */
const MODIFIER_NAMES: Readonly<Record<number, string>> = {
  3: 'Alt',
  4: 'Ctrl',
  [SHIFT]: 'Shift',
  6: 'Meta',
  7: 'AltGr',
};

/** The locks and modifiers of all keyboards together. */
export interface KeyStates {
  /** Whether held modifiers are reported: from Plasma 6 on. */
  readonly canReportModifiers: boolean;
  /** Returns whether Caps Lock is on, or the locked Shift that some keymaps have instead. */
  readonly isCapsLocked: () => Promise<boolean>;
  /** Lists the modifiers that somebody holds. */
  readonly listHeldModifiers: () => Promise<readonly string[]>;
}

/** Opens KWin's report of key states. Nothing is reported if KWin doesn't offer it to this program. */
export function openKeyStates(connection: WaylandConnection): KeyStates {
  const stateByKey = new Map<number, number>();
  const keyStates = connection.bind('org_kde_kwin_keystate', MAX_VERSION, {
    stateChanged: (key, state) => void stateByKey.set(key, state),
  });
  async function update(): Promise<void> {
    keyStates?.send('fetchStates');
    await connection.sync();
  }
  const getState = (key: number): number => stateByKey.get(key) ?? UNLOCKED;
  /** A locked modifier is not held. */
  const isHeld = (key: string): boolean => ![UNLOCKED, LOCKED].includes(getState(Number(key)));
  return {
    canReportModifiers: connection.getVersion('org_kde_kwin_keystate') >= MODIFIERS_VERSION,
    isCapsLocked: async () => {
      await update();
      return getState(CAPS_LOCK) !== UNLOCKED || getState(SHIFT) === LOCKED;
    },
    listHeldModifiers: async () => {
      await update();
      return Object.entries(MODIFIER_NAMES).flatMap(([key, name]) => (isHeld(key) ? [name] : []));
    },
  };
}
