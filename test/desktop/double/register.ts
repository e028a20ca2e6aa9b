import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { EVALUATED } from './readiness.ts';

const ELECTRON = new URL('electron.ts', import.meta.url).href;
const MAIN = pathToFileURL(process.argv[1] ?? '').href;

// Another system than this one, as far as the app can tell.
const platform = process.env['ELECTRON_DOUBLE_PLATFORM'];
if (platform !== undefined) {
  // What is built for this system is loaded as long as it can be found.
  await import('@napi-rs/keyring');
  Object.defineProperty(process, 'platform', { value: platform });
}

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron'
      ? { url: ELECTRON, shortCircuit: true, format: 'module-typescript' }
      : next(specifier, context),
  load: (url, context, next) => {
    const loaded = next(url, context);
    if (url !== MAIN) return loaded;
    // Its last line tells that it has run to its end.
    const { source = '' } = loaded;
    const text = typeof source === 'string' ? source : new TextDecoder().decode(source);
    return { ...loaded, source: `${text}\nprocess.emit('${EVALUATED}');` };
  },
});

// The app does not outlive the test.
process.on('disconnect', () => process.exit());
