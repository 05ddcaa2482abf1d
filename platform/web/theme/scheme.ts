import { useSyncExternalStore } from 'react';

const ATTRIBUTE = 'data-mantine-color-scheme';

const subscribe = (tell: () => void): (() => void) => {
  const watch = new MutationObserver(tell);
  watch.observe(document.documentElement, { attributeFilter: [ATTRIBUTE] });
  return () => watch.disconnect();
};

const getScheme = (): string => document.documentElement.getAttribute(ATTRIBUTE) ?? 'light';

/** 'light' or 'dark', as the tokens stand now: what is drawn on a canvas is drawn anew when it changes. */
export function useColourScheme(): string {
  return useSyncExternalStore(subscribe, getScheme);
}

/** Tokens of one scheme. To ask for one makes the browser work out the style of all that changed before, so each is asked for once. */
let tokenCache = { scheme: '', values: new Map<string, string>() };

const getTokenValue = (name: string): string => {
  const scheme = getScheme();
  if (tokenCache.scheme !== scheme) tokenCache = { scheme, values: new Map() };
  const value = tokenCache.values.get(name) ?? getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  tokenCache.values.set(name, value);
  return value;
};

/** Makes a CSS colour fit for a canvas: tokens (`var(--line)`) become what they stand for now. */
export function resolveColour(colour: string): string {
  return colour.replaceAll(/var\((--[\w-]+)\)/g, (_, name: string) => getTokenValue(name));
}
