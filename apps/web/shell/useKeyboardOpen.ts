import { useEffect, useState } from 'react';

/** A soft keyboard takes more than the browser's own bars do. */
const MIN_KEYBOARD_PX = 150;

/** Whether a soft keyboard covers the lower part of a touch screen. */
export const useSoftKeyboardOpen = (): boolean => {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const view = window.visualViewport;
    if (!view || !matchMedia('(pointer: coarse)').matches) return undefined;
    let { width } = view;
    let tallest = view.height;
    const measure = (): void => {
      // A turned screen starts anew.
      tallest = view.width === width ? Math.max(tallest, view.height) : view.height;
      width = view.width;
      const isOpen = tallest - view.height > MIN_KEYBOARD_PX;
      setOpen(isOpen);
      // Where the keyboard only covers the page (iOS), the shell takes the height that is left.
      document.documentElement.style.setProperty('--shell-height', isOpen ? `${view.height}px` : '100dvh');
    };
    view.addEventListener('resize', measure);
    return () => view.removeEventListener('resize', measure);
  }, []);
  return open;
};
