import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import mantine from 'postcss-preset-mantine';
import variables from 'postcss-simple-vars';
import { defineConfig } from 'vite';
import { preloadPage } from './preload-page.ts';

/** Mantine's breakpoints, for our style sheets. */
const BREAKPOINTS = {
  'mantine-breakpoint-xs': '36em',
  'mantine-breakpoint-sm': '48em',
  'mantine-breakpoint-md': '62em',
  'mantine-breakpoint-lg': '75em',
  'mantine-breakpoint-xl': '88em',
};

/** Modules that stay together. */
const FIRST_SCREEN_GROUPS = [
  { name: 'router', test: /node_modules\/@tanstack\/(?:react-router|router-core|history)\// },
  { name: 'format', test: /\/(?:renderer\/format\/format|shared\/format)\.ts$/ },
];

/** Build of the page: `npm run build:ui` writes it to `out/ui`, where the shells find it. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), preloadPage()],
  css: { postcss: { plugins: [mantine(), variables({ variables: BREAKPOINTS })] } },
  build: {
    outDir: join(import.meta.dirname, '..', 'out', 'ui'),
    emptyOutDir: true,
    target: 'chrome140',
    rolldownOptions: {
      // The first screen loads both completely. Split by their importers, they would be more and larger files.
      output: { codeSplitting: { groups: FIRST_SCREEN_GROUPS } },
    },
    // The content security policy does not allow `data:` fonts or scripts.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 800,
  },
});
