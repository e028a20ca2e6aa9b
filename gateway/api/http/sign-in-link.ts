import { createSessions, type SessionsOptions } from './sessions.ts';

/** The address that signs a browser in, once within 10 minutes. The code stands behind the `#`, which browsers send to nobody. */
export async function createSignInLink(options: SessionsOptions, port: number): Promise<string> {
  return `http://127.0.0.1:${port}/#${await createSessions(options).createCode()}`;
}
