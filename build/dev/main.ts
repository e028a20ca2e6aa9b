import { enableCompileCache } from 'node:module';
import { findUsableElectron } from '../electron/usable-electron.ts';
import { COMPILE_CACHE } from './session.ts';

const HEADLESS = '--headless';

// `npm run dev` runs the app, or the engine and a page for a browser; each is reloaded when its code changes.
enableCompileCache(COMPILE_CACHE);
const args = process.argv.slice(2).filter((arg) => arg !== HEADLESS);
const electron = process.argv.includes(HEADLESS) ? null : await findUsableElectron(args, '/');
if (electron === null || electron.program === null) {
  if (electron !== null) console.error(`No desktop app: ${electron.reason}`);
  const { developEngine } = await import('./engine.ts');
  await developEngine(args);
} else {
  const { developApp } = await import('./app.ts');
  await developApp(electron.program);
}
