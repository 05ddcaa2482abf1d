import { useEffect, useState, type RefObject } from 'react';

/** A soft keyboard takes more of the screen than this leaves. */
const LEFT_BY_KEYBOARD = 0.7;

/** Whether a soft keyboard is open for the field: the special keys and the mouse then make room for the history. */
export function useSoftKeyboardOpen(field: RefObject<HTMLInputElement | null>): boolean {
  const [typing, setTyping] = useState(false);
  useEffect(() => {
    const look = (): void => {
      const height = window.visualViewport?.height ?? window.innerHeight;
      const soft = matchMedia('(pointer: coarse)').matches && height < LEFT_BY_KEYBOARD * window.screen.height;
      setTyping(soft && document.activeElement === field.current);
    };
    const resized = window.visualViewport ?? window;
    resized.addEventListener('resize', look);
    document.addEventListener('focusin', look);
    document.addEventListener('focusout', look);
    return () => {
      resized.removeEventListener('resize', look);
      document.removeEventListener('focusin', look);
      document.removeEventListener('focusout', look);
    };
  }, [field]);
  return typing;
}
