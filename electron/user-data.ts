import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { app } from 'electron';
import { UserError } from '../gateway/errors.ts';
import { prepareDataDir } from '../host/data-folder.ts';

/** Opens the data folder and puts the browser's own files into it, so that each data folder is an app of its own. @throws UserError */
export async function setUserDataFolder(): Promise<string> {
  checkPort(process.env['GATEHOUSE_PORT'] ?? '');
  const dataDir = await prepareDataDir(undefined, process.env);
  const profile = join(dataDir, 'desktop');
  mkdirSync(profile, { recursive: true, mode: 0o700 });
  app.setPath('userData', profile);
  return dataDir;
}

/** Creates the folder of the browser's files. @throws UserError */
function checkPort(text: string): void {
  if (text === '' || (/^\d+$/u.test(text) && Number(text) <= 65_535)) return;
  throw new UserError(
    `GATEHOUSE_PORT has to be a number from 0 to 65535, and is ${JSON.stringify(text)}. Correct it or leave it out, and start again.`,
  );
}
