import type { PointerEvent } from 'react';

/**
 * Event handlers of a button that is held: by touch until the finger is lifted anywhere, by keyboard while Space or
 * Enter is down.
 */
export function createHoldHandlers(down: () => void, up: () => void) {
  return {
    onPointerDown: (event: PointerEvent<HTMLButtonElement>) => {
      event.preventDefault();
      event.currentTarget.setPointerCapture(event.pointerId);
      down();
    },
    onPointerUp: up,
    onPointerCancel: up,
    onLostPointerCapture: up,
    onKeyDown: (event: { readonly key: string; readonly repeat: boolean }) => {
      if (!event.repeat && (event.key === ' ' || event.key === 'Enter')) down();
    },
    onKeyUp: up,
    onBlur: up,
    // A long touch must not open the context menu.
    onContextMenu: (event: { readonly preventDefault: () => void }) => event.preventDefault(),
  };
}

/** Vibrates briefly, if the browser and the device support it. */
export function buzz(): void {
  return void navigator.vibrate?.(8);
}
