import type { Chord, HotkeyListener, HotkeysDriver } from './drivers.ts';
import { openHotkeys, type XHotkeys } from './x11/hotkeys.ts';

/** Hotkeys that outlive the display: what is wished for is listened for on each one that comes. */
export interface LiveHotkeys extends HotkeysDriver, AsyncDisposable {
  /** A display was found. */
  readonly openOn: (display: string) => Promise<void>;
  /** The display is gone. */
  readonly lost: () => void;
  /** None is listened for while the task runs. */
  readonly without: XHotkeys['without'];
}

/** @param reason why there is no display just now */
export const keepHotkeys = (reason: () => string): LiveHotkeys => {
  let here: XHotkeys | undefined;
  let wished: { readonly chords: readonly Chord[]; readonly listener: HotkeyListener } | undefined;
  const begin = (): void => {
    if (!wished) return;
    const { chords, listener } = wished;
    if (here) here.listen(chords, listener);
    else listener.stands(new Map(chords.map((_, at) => [at, reason()])));
  };
  return {
    listen: (chords, listener) => {
      wished = { chords, listener };
      begin();
    },
    openOn: async (display) => {
      // Where it went away already, whoever found it hears of that too.
      here = await openHotkeys(display).catch(() => undefined);
      begin();
    },
    lost: () => {
      here = undefined;
      begin();
    },
    without: (task) => (here ? here.without(task) : task()),
    [Symbol.asyncDispose]: async () => here?.[Symbol.asyncDispose](),
  };
};
