import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** The ports below those that a system gives to whoever asks for any (Linux from 32,768, others from 49,152). */
const NOT_GIVEN = { from: 10_000, to: 32_000 } as const;

/** A port of 127.0.0.1 on which nobody listens. Servers on port 0 beside the test do not get it meanwhile. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(NOT_GIVEN.from, NOT_GIVEN.to);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') continue;
      throw error;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}
