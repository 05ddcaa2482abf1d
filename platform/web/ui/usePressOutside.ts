import { useEffect, useEffectEvent } from 'react';

/** Calls `onPress` when a pointer is pressed anywhere outside the element that `getInside` returns. */
export function usePressOutside(
  getInside: () => Element | null | undefined,
  onPress: () => void,
  isActive = true,
): void {
  const handlePress = useEffectEvent((event: Event): void => {
    if (!(event.target instanceof Node && getInside()?.contains(event.target))) onPress();
  });
  useEffect(() => {
    if (!isActive) return undefined;
    const handle = (event: Event): void => handlePress(event);
    document.addEventListener('pointerdown', handle);
    return () => document.removeEventListener('pointerdown', handle);
  }, [isActive]);
}
