import { join } from 'node:path';
import { app } from 'electron';
import { openDataDir } from '../hosting/data-folder.ts';

/** Opens the data folder and puts the browser's own files into it: who has a data folder of their own has an app of their own. */
export async function useDataFolder(): Promise<string> {
  const dataDir = await openDataDir(undefined, process.env);
  app.setPath('userData', join(dataDir, 'desktop'));
  return dataDir;
}
