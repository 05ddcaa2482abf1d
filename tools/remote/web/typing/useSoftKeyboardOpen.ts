import { useEffect, useState, type RefObject } from 'react';

/** The page is smaller than this share of the screen while a soft keyboard is open. */
const MAX_REMAINING_SHARE = 0.7;

/** Returns whether a soft keyboard is open for the field, which leaves less room on the page. */
export function useSoftKeyboardOpen(field: RefObject<HTMLInputElement | null>): boolean {
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => {
    function update(): void {
      const height = window.visualViewport?.height ?? window.innerHeight;
      const hasSoftKeyboard =
        matchMedia('(pointer: coarse)').matches && height < MAX_REMAINING_SHARE * window.screen.height;
      setIsOpen(hasSoftKeyboard && document.activeElement === field.current);
    }
    const resizeTarget = window.visualViewport ?? window;
    resizeTarget.addEventListener('resize', update);
    document.addEventListener('focusin', update);
    document.addEventListener('focusout', update);
    return () => {
      resizeTarget.removeEventListener('resize', update);
      document.removeEventListener('focusin', update);
      document.removeEventListener('focusout', update);
    };
  }, [field]);
  return isOpen;
}
