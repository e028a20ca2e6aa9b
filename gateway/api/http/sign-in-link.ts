import { createSessions, type SessionsOptions } from './sessions.ts';

/** Creates the address that signs a browser in, once within 10 minutes. The code follows the `#`, which browsers do not send. */
export async function createSignInLink(options: SessionsOptions, port: number): Promise<string> {
  return `http://127.0.0.1:${port}/#${await createSessions(options).createCode()}`;
}
