import { expect, test } from 'vitest';
import { getElectron } from './electron-program.ts';

test('a folder that was named and has no Electron in it is said to have none, and nothing is fetched', async () => {
  expect(await getElectron({ ELECTRON_OVERRIDE_DIST_PATH: '/nowhere' })).toEqual({
    program: null,
    reason: 'there is no Electron in ELECTRON_OVERRIDE_DIST_PATH, /nowhere.',
  });
});
