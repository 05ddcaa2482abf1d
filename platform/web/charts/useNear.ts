import { useEffect, useState, type RefObject } from 'react';

/** Drawn before it is seen by somebody who scrolls fast. The margin of the window ends at whatever scrolls within it, which has its own. */
const AHEAD = { rootMargin: '600px 0px', scrollMargin: '600px 0px' } satisfies IntersectionObserverInit;

/** Whether the element has come near what is seen; from then on it stays true. */
export const useNear = (element: RefObject<Element | null>): boolean => {
  const [near, setNear] = useState(false);
  useEffect(() => {
    if (near || !element.current) return undefined;
    const watch = new IntersectionObserver(
      (entries) => entries.some((entry) => entry.isIntersecting) && setNear(true),
      AHEAD,
    );
    watch.observe(element.current);
    return () => watch.disconnect();
  }, [element, near]);
  return near;
};
