import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { EVALUATED } from './readiness.ts';

const ELECTRON = new URL('electron.ts', import.meta.url).href;
/** Longer than a test may take. Milliseconds. */
const LEFT_MS = 40_000;
const MAIN = pathToFileURL(process.argv[1] ?? '').href;

// The app may be told that it runs on another system than this one.
const platform = process.env['ELECTRON_MOCK_PLATFORM'];
if (platform !== undefined) {
  // The keychain's module chooses its binary by the platform, so it is loaded before.
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

// The app ends in order when the program that started it is gone. One that does not may not outlive its test by much.
process.on('disconnect', () => setTimeout(() => process.exit(), LEFT_MS).unref());
