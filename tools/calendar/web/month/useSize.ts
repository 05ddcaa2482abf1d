import { useLayoutEffect, useState, type RefObject } from 'react';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The current size of an element in CSS pixels. Undefined before the first render. */
export function useSize(element: RefObject<HTMLElement | null>): Size | undefined {
  const [size, setSize] = useState<Size>();
  useLayoutEffect(() => {
    const place = element.current;
    if (!place) return undefined;
    const measure = (): void => {
      const width = place.clientWidth;
      const height = place.clientHeight;
      setSize((before) => (before?.width === width && before.height === height ? before : { width, height }));
    };
    measure();
    const sizes = new ResizeObserver(measure);
    sizes.observe(place);
    return () => sizes.disconnect();
  }, [element]);
  return size;
}
