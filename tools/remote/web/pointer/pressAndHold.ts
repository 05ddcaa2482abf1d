import type { PointerEvent } from 'react';

/** Holding a button: from touch to letting go, wherever the finger has gone; by keyboard while Space or Enter is down. */
export function holding(down: () => void, up: () => void) {
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
    // A long touch opens no menu.
    onContextMenu: (event: { readonly preventDefault: () => void }) => event.preventDefault(),
  };
}

/** A short buzz under the finger; only some browsers can, and only on phones. */
export function buzz(): void {
  return void navigator.vibrate?.(8);
}
