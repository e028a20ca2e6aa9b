import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { Suspense, useState } from 'react';
import { ON_DESKTOP } from './api/desktop.ts';
import { openSession } from './api/session.ts';
import { BrowserApp } from './browser-app.tsx';
import { DesktopApp } from './desktop-app.tsx';
import { styleNonce } from './style-nonce.ts';
import { cssVariables, theme } from './theme.ts';

const colorSchemes = localStorageColorSchemeManager({ key: 'gatehouse-appearance' });

/** The window: theme, connection to the engine, and screens. */
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
      <Suspense>{session === null ? <DesktopApp /> : <BrowserApp session={session} />}</Suspense>
    </MantineProvider>
  );
}
