import { registerHooks } from 'node:module';

const ELECTRON = new URL('electron.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron'
      ? { url: ELECTRON, shortCircuit: true, format: 'module-typescript' }
      : next(specifier, context),
});

// The app does not outlive the test.
process.on('disconnect', () => process.exit());
