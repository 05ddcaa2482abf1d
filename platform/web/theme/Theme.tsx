import {
  MantineProvider,
  localStorageColorSchemeManager,
  Button,
  Checkbox,
  createTheme,
  type CSSVariablesResolver,
} from '@mantine/core';
import { setNonce } from 'get-nonce';
import type { ReactNode } from 'react';
import './reset.css';
import '@mantine/core/styles/baseline.layer.css';
import '@mantine/core/styles/default-css-variables.layer.css';
import '@mantine/core/styles/global.layer.css';
import '@mantine/core/styles/UnstyledButton.layer.css';
import '@mantine/core/styles/VisuallyHidden.layer.css';
import '@mantine/core/styles/Button.layer.css';
import '@mantine/core/styles/ActionIcon.layer.css';
import '@mantine/core/styles/CloseButton.layer.css';
import '@mantine/core/styles/Loader.layer.css';
import '@mantine/core/styles/Input.layer.css';
import '@mantine/core/styles/PasswordInput.layer.css';
import '@mantine/core/styles/InlineInput.layer.css';
import '@mantine/core/styles/Checkbox.layer.css';
import './tokens.css';
import './base.css';

// Imports Mantine's styles one by one: all of them are 35 KB gzip, over the budget (docs/design/appearance.md section
// 9).
// Their layered form has a lower priority than our styles, in any order of loading.

/** Mantine's theme, based on our tokens (docs/design/appearance.md section 2). */
export const theme = createTheme({
  fontFamily: 'var(--pb-font)',
  fontFamilyMonospace: 'var(--pb-mono)',
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  primaryColor: 'iris',
  primaryShade: { light: 6, dark: 4 },
  autoContrast: true,
  luminanceThreshold: 0.2,
  respectReducedMotion: true,
  cursorType: 'pointer',
  colors: {
    iris: [
      '#F3F1FE',
      '#EAE7FC',
      '#D2CBF9',
      '#B3A8FF',
      '#8F80FF',
      '#7565EA',
      '#5B4BD4',
      '#4E3EC8',
      '#3A2EA0',
      '#2A2547',
    ],
    dark: [
      '#EEEEF3',
      '#B6B6C2',
      '#8E8E9B',
      '#6B6B78',
      '#34343D',
      '#222228',
      '#17171B',
      '#0F0F12',
      '#0D0D10',
      '#0B0B0E',
    ],
  },
  defaultRadius: 'md',
  radius: { xs: '4px', sm: '6px', md: '9px', lg: '14px', xl: '18px' },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
  components: {
    Checkbox: Checkbox.extend({ defaultProps: { iconColor: 'var(--on-accent)' } }),
    Button: Button.extend({
      defaultProps: { variant: 'default' },
      vars: (_, { variant }) => ({
        root:
          variant === 'primary'
            ? {
                '--button-bg': 'var(--ink)',
                '--button-color': 'var(--on-ink)',
                '--button-hover': 'var(--text-2)',
                '--button-bd': '1px solid var(--ink)',
              }
            : {},
      }),
    }),
  },
});

const scheme = {
  '--mantine-color-body': 'var(--bg)',
  '--mantine-color-text': 'var(--text)',
  '--mantine-color-dimmed': 'var(--text-2)',
  '--mantine-color-placeholder': 'var(--text-3)',
  '--mantine-color-error': 'var(--red)',
  '--mantine-color-anchor': 'var(--accent-text)',
  '--mantine-color-default': 'var(--surface)',
  '--mantine-color-default-hover': 'var(--hover)',
  '--mantine-color-default-color': 'var(--text)',
  '--mantine-color-default-border': 'var(--line-2)',
};

export const resolveCssVariables: CSSVariablesResolver = () => ({ variables: {}, light: scheme, dark: scheme });

/** `apps/web/public/scheme.js` reads the same key before the first paint. */
const schemes = localStorageColorSchemeManager({ key: 'pegboard.scheme' });

// The server puts a new nonce into every index.html and its header (docs/adr/0031-style-nonce.md). Mantine's style tags
// read `getStyleNonce`, and the scroll lock of its dialogs reads `get-nonce`.
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
