import type { WaylandConnection } from '../wayland/connection.ts';

/** The last version whose events this file knows. */
const MAX_VERSION = 5;
const CAPS_LOCK = 0;
const UNLOCKED = 0;
/** Names of modifiers for people, by KWin's numbers. KWin reports them from version 5 on (Plasma 6). */
const MODIFIER_NAMES: Readonly<Record<number, string>> = { 3: 'Alt', 4: 'Ctrl', 5: 'Shift', 6: 'Meta', 7: 'AltGr' };

/** The locks and modifiers of all keyboards together. */
export interface KeyStates {
  readonly isCapsLocked: () => Promise<boolean>;
  /** Lists the modifiers that somebody holds; always empty before Plasma 6. */
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
  const isOn = (key: number): boolean => (stateByKey.get(key) ?? UNLOCKED) !== UNLOCKED;
  return {
    isCapsLocked: async () => {
      await update();
      return isOn(CAPS_LOCK);
    },
    listHeldModifiers: async () => {
      await update();
      return Object.entries(MODIFIER_NAMES).flatMap(([key, name]) => (isOn(Number(key)) ? [name] : []));
    },
  };
}
