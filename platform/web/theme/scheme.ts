import { useSyncExternalStore } from 'react';

const ATTRIBUTE = 'data-mantine-color-scheme';

const subscribe = (tell: () => void): (() => void) => {
  const watch = new MutationObserver(tell);
  watch.observe(document.documentElement, { attributeFilter: [ATTRIBUTE] });
  return () => watch.disconnect();
};

/** 'light' or 'dark', as the tokens stand now: what is drawn on a canvas is drawn anew when it changes. */
export const useScheme = (): string =>
  useSyncExternalStore(subscribe, () => document.documentElement.getAttribute(ATTRIBUTE) ?? 'light');

/** Makes CSS colours fit for a canvas: tokens (`var(--line)`) become what they stand for now. */
export const drawableColours = (): ((colour: string) => string) => {
  const tokens = getComputedStyle(document.documentElement);
  return (colour) => colour.replaceAll(/var\((--[\w-]+)\)/g, (_, name: string) => tokens.getPropertyValue(name).trim());
};
