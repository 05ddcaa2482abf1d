import './styles.ts';
import { MantineProvider, localStorageColorSchemeManager } from '@mantine/core';
import { setNonce } from 'get-nonce';
import type { ReactNode } from 'react';
import { resolveCssVariables, theme } from './theme.ts';

/** `apps/web/public/scheme.js` reads the same key before the first paint. */
const schemes = localStorageColorSchemeManager({ key: 'pegboard.scheme' });

// The server writes a fresh nonce into every index.html and its header (reliability.md section 3). Mantine's own style
// tags take it from `getStyleNonce`, the scroll lock of its dialogs from `get-nonce`.
const nonce = document.querySelector<HTMLMetaElement>('meta[name=csp-nonce]')?.content ?? '';
setNonce(nonce);

export function Theme({ children }: { readonly children: ReactNode }) {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={resolveCssVariables}
      colorSchemeManager={schemes}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      {children}
    </MantineProvider>
  );
}
