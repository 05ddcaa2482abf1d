import { createContext, useContext, useLayoutEffect, useRef, useState, type RefObject } from 'react';

/** Heights of parts that are as high as their content, by their keys. */
interface Heights {
  readonly of: (key: string, estimate: number) => number;
  readonly watch: (key: string, element: Element) => () => void;
}

const createHeights = (onChange: () => void): Heights => {
  const known = new Map<string, number>();
  const keys = new WeakMap<Element, string>();
  const set = (element: Element, height: number): boolean => {
    const key = keys.get(element);
    if (key === undefined || Math.abs((known.get(key) ?? 0) - height) < 0.5) return false;
    known.set(key, height);
    return true;
  };
  const observer = new ResizeObserver((entries) => {
    const changes = entries.map(({ target, borderBoxSize }) => set(target, borderBoxSize[0]?.blockSize ?? 0));
    if (changes.includes(true)) onChange();
  });
  return {
    of: (key, estimate) => known.get(key) ?? estimate,
    watch: (key, element) => {
      keys.set(element, key);
      observer.observe(element);
      return () => observer.unobserve(element);
    },
  };
};

/** Draws the calling component anew where a height has changed. */
export const useHeights = (): { readonly heights: Heights; readonly version: number } => {
  const [version, setVersion] = useState(0);
  const [heights] = useState(() => createHeights(() => setVersion((before) => before + 1)));
  return { heights, version };
};

export const HeightsContext = createContext<Heights | undefined>(undefined);

/** Measures an element under this key, from its first drawing on. */
export const useMeasured = (key: string): RefObject<HTMLDivElement | null> => {
  const heights = useContext(HeightsContext);
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => (element.current ? heights?.watch(key, element.current) : undefined), [heights, key]);
  return element;
};
