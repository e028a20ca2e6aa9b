import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { findLeaks } from '../secret-leak.ts';
import { PROGRAM } from './program.ts';

/** A key of visible ASCII only, with every character that a program may escape. */
export const makeServiceKey = (): string =>
  `sk-"\\/+%&=<>'?#;~${randomBytes(24).toString('base64')}Z`;

export const makeLocalKey = (): string => `gh-${randomBytes(32).toString('base64url')}`;

/** Searches all data for all secrets; the failure message does not repeat what was found. */
export function search(
  secrets: Readonly<Record<string, string>>,
  places: ReadonlyMap<string, Buffer>,
) {
  return [...places].flatMap(([place, bytes]) =>
    Object.entries(secrets).flatMap(([name, secret]) =>
      findLeaks(secret, bytes).map((form) => `${name} in ${place}: ${form}`),
    ),
  );
}

export function toSources(name: string, texts: readonly string[]): [string, Buffer][] {
  return texts.map((one, index) => [`${name} ${index}`, Buffer.from(one, 'latin1')]);
}

export interface CliSetup {
  readonly home: string;
  readonly serviceKey: string;
  readonly localKey: string;
  readonly url: string;
}

/** Runs the command line with its own home folder and both keys in its environment. */
export function openCli({ home, serviceKey, localKey, url }: CliSetup) {
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    XDG_DATA_HOME: join(home, 'data'),
    GATEHOUSE_UPSTREAM_URL: url,
    GATEHOUSE_UPSTREAM_KEY: serviceKey,
    GATEHOUSE_LOCAL_KEY: localKey,
  };
  const start = (args: readonly string[]) => {
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { promise: port, resolve } = Promise.withResolvers<number>();
    let printed = '';
    child.stdout.on('data', (bytes: Buffer) => {
      printed += bytes.toString();
      const found = /http:\/\/127\.0\.0\.1:(\d+)\/v1/.exec(printed)?.[1];
      if (found !== undefined) resolve(Number(found));
    });
    const output = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]).then(
      ([out, err]) => out + err,
    );
    return { child, port, output };
  };
  return { start };
}
