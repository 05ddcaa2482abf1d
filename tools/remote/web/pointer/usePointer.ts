import { useEffect, useMemo } from 'react';
import { openPointer, type PointerStream } from './pointerStream.ts';

/** The touchpad of a device; a page that is not seen, or left, lets everything go. */
export const usePointer = (target: string | undefined): PointerStream => {
  const stream = useMemo(() => openPointer(target), [target]);
  useEffect(() => {
    const hidden = (): void => {
      if (document.visibilityState === 'hidden') stream.close();
    };
    document.addEventListener('visibilitychange', hidden);
    return () => {
      document.removeEventListener('visibilitychange', hidden);
      stream.close();
    };
  }, [stream]);
  return stream;
};
