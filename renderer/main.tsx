import '@fontsource-variable/inter/wght.css';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import '@mantine/spotlight/styles.css';
import './page.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { styleNonce } from './style-nonce.ts';

// The scroll lock of dialogs adds its own style sheet and takes the nonce from here.
Object.assign(globalThis, { __webpack_nonce__: styleNonce() });

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no element #root.');
createRoot(root).render(<App />);
