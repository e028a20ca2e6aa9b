import { getElectron } from '../electron-program.ts';
import { whyHeadless } from '../why-headless.ts';

const HEADLESS = '--headless';

// `npm run dev`: the app, or the engine and a page for a browser, each renewed while its code changes.
const args = process.argv.slice(2).filter((arg) => arg !== HEADLESS);
const reason = process.argv.includes(HEADLESS)
  ? ''
  : whyHeadless({
      args,
      platform: process.platform,
      environment: process.env,
      isRoot: process.getuid?.() === 0,
    });
const electron = reason === null ? await getElectron(process.env) : { program: null, reason };
if (electron.program === null) {
  if (electron.reason !== '') console.error(`No desktop app: ${electron.reason}`);
  const { developEngine } = await import('./engine.ts');
  await developEngine(args);
} else {
  const { developApp } = await import('./app.ts');
  await developApp(electron.program);
}
