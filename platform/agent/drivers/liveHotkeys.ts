import type { KeyChord, HotkeyListener, HotkeysDriver } from './drivers.ts';
import { openXHotkeys, type XHotkeys } from './x11/hotkeys.ts';

/** Hotkeys that outlive the display: what is wished for is listened for on each one that comes. */
export interface PersistentHotkeys extends HotkeysDriver, AsyncDisposable {
  /** A display was found. */
  readonly openOn: (display: string) => Promise<void>;
  /** The display is gone. */
  readonly onDisplayLost: () => void;
  /** None is listened for while the task runs. */
  readonly runWithout: XHotkeys['runWithout'];
}

/** @param reason why there is no display just now */
export const createPersistentHotkeys = (reason: () => string): PersistentHotkeys => {
  let here: XHotkeys | undefined;
  let wished: { readonly chords: readonly KeyChord[]; readonly listener: HotkeyListener } | undefined;
  const begin = (): void => {
    if (!wished) return;
    const { chords, listener } = wished;
    if (here) here.listen(chords, listener);
    else listener.onStatus(new Map(chords.map((_, at) => [at, reason()])));
  };
  return {
    listen: (chords, listener) => {
      wished = { chords, listener };
      begin();
    },
    openOn: async (display) => {
      // Where it went away already, whoever found it hears of that too.
      here = await openXHotkeys(display).catch(() => undefined);
      begin();
    },
    onDisplayLost: () => {
      here = undefined;
      begin();
    },
    runWithout: (task) => (here ? here.runWithout(task) : task()),
    [Symbol.asyncDispose]: async () => here?.[Symbol.asyncDispose](),
  };
};
