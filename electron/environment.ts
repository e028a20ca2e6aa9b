import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { app } from 'electron';
import { UserError } from '../gateway/errors.ts';
import { prepareDataDir } from '../host/data-folder.ts';
import type { EngineOptions } from '../host/engine/engine-contract.ts';

/** Opens the data folder and puts the browser's own files into it, so that each data folder is an app of its own. @throws UserError */
export async function setUserDataFolder(): Promise<string> {
  checkPort(process.env['GATEHOUSE_PORT'] ?? '');
  const dataDir = await prepareDataDir(undefined, process.env);
  const profile = join(dataDir, 'desktop');
  mkdirSync(profile, { recursive: true, mode: 0o700 });
  app.setPath('userData', profile);
  return dataDir;
}

/** Reads the port that GATEHOUSE_PORT sets for this run. */
export function readPortOptions(): Pick<EngineOptions, 'port' | 'portPinned'> {
  const text = process.env['GATEHOUSE_PORT'] ?? '';
  if (text === '') return {};
  const portPinned = 'The port is set by GATEHOUSE_PORT, so it cannot be changed here.';
  return { port: Number(text), portPinned };
}

/** Checks GATEHOUSE_PORT. @throws UserError */
function checkPort(text: string): void {
  if (text === '' || (/^\d+$/u.test(text) && Number(text) <= 65_535)) return;
  throw new UserError(
    `GATEHOUSE_PORT has to be a number from 0 to 65535, and is ${JSON.stringify(text)}. Correct it or leave it out, and start again.`,
  );
}
