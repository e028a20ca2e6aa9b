import { type ElectronFound, getElectron } from '../electron-program.ts';
import { whyNoSandbox } from '../electron-sandbox.ts';
import { whyHeadless } from '../why-headless.ts';

const HEADLESS = '--headless';

// `npm run dev`: the app, or the engine and a page for a browser, each renewed while its code changes.
const args = process.argv.slice(2).filter((arg) => arg !== HEADLESS);
const electron = process.argv.includes(HEADLESS) ? null : await findElectron();
if (electron === null || electron.program === null) {
  if (electron !== null) console.error(`No desktop app: ${electron.reason}`);
  const { developEngine } = await import('./engine.ts');
  await developEngine(args);
} else {
  const { developApp } = await import('./app.ts');
  await developApp(electron.program);
}

/** The program of Electron, or why the app cannot run here. */
async function findElectron(): Promise<ElectronFound> {
  const { platform, env: environment } = process;
  const reason = whyHeadless({ args, platform, environment, isRoot: process.getuid?.() === 0 });
  if (reason !== null) return { program: null, reason };
  const found = await getElectron(environment);
  if (found.program === null || platform !== 'linux') return found;
  const unsafe = await whyNoSandbox(found.program, '/');
  return unsafe === null ? found : { program: null, reason: unsafe };
}
