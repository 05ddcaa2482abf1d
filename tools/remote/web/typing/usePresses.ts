import { useMemo, useRef, useState } from 'react';
import { realtime } from '#platform/web/app/realtime.ts';
import { showError } from '#platform/web/app/showError.ts';
import { presskeys } from '../../contract.ts';
import { isModifier, modifierNames, type KeyName, type ModifierName } from '../../domain/keys.ts';

/** Sends key presses immediately. Modifiers are latched for the next key and for the mouse. */
export function usePresses(target: string | undefined) {
  const [latched, setLatched] = useState<readonly ModifierName[]>([]);
  const lastRequest = useRef<Promise<unknown>>(Promise.resolve());

  const send = useMemo(
    () =>
      (keys: readonly KeyName[]): Promise<void> => {
        const request = lastRequest.current.then(() =>
          realtime.request(presskeys, { keys: [...keys], ...(target !== undefined && { target }) }),
        );
        const settled = request.then(() => undefined, showError);
        lastRequest.current = settled;
        return settled;
      },
    [target],
  );
  /** Resolves when the device has done it. */
  async function press(key: KeyName): Promise<void> {
    if (isModifier(key)) {
      setLatched(modifierNames.filter((name) => latched.includes(name) !== (name === key)));
      return;
    }
    setLatched([]);
    await send([...latched, key]);
  }
  return {
    latched,
    press,
    swipe: (to: 'back' | 'forward') => void send(['Alt', to === 'back' ? 'Left' : 'Right']),
  };
}
