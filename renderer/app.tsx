import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { type ReactNode, useLayoutEffect } from 'react';
import { styleNonce } from './style-nonce.ts';
import { Toasts } from './toasts.tsx';
import { cssVariables, theme } from './theme.ts';

const colorSchemes = localStorageColorSchemeManager({ key: 'gatehouse-appearance' });

/** The theme and the notifications around the content of the page. It replaces the frame that `index.html` shows. */
export function App({ children }: { readonly children: ReactNode }) {
  useLayoutEffect(() => document.getElementById('first-frame')?.remove(), []);
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      colorSchemeManager={colorSchemes}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
      deduplicateInlineStyles
    >
      <Toasts />
      {children}
    </MantineProvider>
  );
}
