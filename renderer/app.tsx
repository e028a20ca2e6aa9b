import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { Suspense, useState } from 'react';
import { ON_DESKTOP } from './client/desktop.ts';
import { openSession } from './client/session.ts';
import { InBrowser } from './in-browser.tsx';
import { OnDesktop } from './on-desktop.tsx';
import { styleNonce } from './style-nonce.ts';
import { cssVariables, theme } from './theme.ts';

const colorSchemes = localStorageColorSchemeManager({ key: 'gatehouse-appearance' });

/** The window: its look, its way to the engine, its screens. */
export function App() {
  const [session] = useState(() => (ON_DESKTOP ? null : openSession()));
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      colorSchemeManager={colorSchemes}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
      deduplicateInlineStyles
    >
      <Notifications position="bottom-right" limit={3} />
      <Suspense>{session === null ? <OnDesktop /> : <InBrowser session={session} />}</Suspense>
    </MantineProvider>
  );
}
