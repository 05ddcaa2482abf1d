import type { PointerEvent } from 'react';

/**
 * Creates event handlers for a button that can be held: by touch until the finger is lifted anywhere, by keyboard while
 * Space or Enter is down.
 */
export function createHoldHandlers(onPress: () => void, onRelease: () => void) {
  return {
    onPointerDown: (event: PointerEvent<HTMLButtonElement>) => {
      event.preventDefault();
      event.currentTarget.setPointerCapture(event.pointerId);
      onPress();
    },
    onPointerUp: onRelease,
    onPointerCancel: onRelease,
    onLostPointerCapture: onRelease,
    onKeyDown: (event: { readonly key: string; readonly repeat: boolean }) => {
      if (!event.repeat && (event.key === ' ' || event.key === 'Enter')) onPress();
    },
    onKeyUp: onRelease,
    onBlur: onRelease,
    // A long touch must not open the context menu.
    onContextMenu: (event: { readonly preventDefault: () => void }) => event.preventDefault(),
  };
}

/** Vibrates briefly, if the browser and the device support it. */
export function vibrate(): void {
  navigator.vibrate?.(8);
}
