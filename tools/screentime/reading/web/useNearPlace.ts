import { useEffect, useRef, type RefObject } from 'react';

export type Scroller = RefObject<HTMLElement | null>;

/** A place that tells when it comes near to the window of the scroller, by so much, and when it leaves. */
export const useNearPlace = <Place extends HTMLElement>(
  margin: string,
  scroller: Scroller,
  tell: (isNear: boolean) => void,
) => {
  const place = useRef<Place>(null);
  useEffect(() => {
    if (!place.current) return undefined;
    const watcher = new IntersectionObserver((seen) => tell(seen.at(-1)?.isIntersecting === true), {
      root: scroller.current,
      rootMargin: `${margin} 0px`,
    });
    watcher.observe(place.current);
    return () => watcher.disconnect();
  }, [margin, scroller, tell]);
  return place;
};
