import { useSyncExternalStore } from 'react';

const ATTRIBUTE = 'data-mantine-color-scheme';

function subscribe(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributeFilter: [ATTRIBUTE] });
  return () => observer.disconnect();
}

const getScheme = (): string => document.documentElement.getAttribute(ATTRIBUTE) ?? 'light';

/** Returns 'light' or 'dark'. Content on a canvas must be redrawn when it changes. */
export function useColourScheme(): string {
  return useSyncExternalStore(subscribe, getScheme);
}

/** Tokens of the current scheme. Reading one forces a style recalculation, so each is read once. */
let tokenCache = { scheme: '', values: new Map<string, string>() };

function getTokenValue(name: string): string {
  const scheme = getScheme();
  if (tokenCache.scheme !== scheme) tokenCache = { scheme, values: new Map() };
  const value = tokenCache.values.get(name) ?? getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  tokenCache.values.set(name, value);
  return value;
}

/** Resolves a CSS colour for a canvas: replaces tokens such as `var(--line)` with their current values. */
export function resolveColour(colour: string): string {
  return colour.replaceAll(/var\((--[\w-]+)\)/g, (_, name: string) => getTokenValue(name));
}
