import { Mutex } from 'async-mutex';
import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { implement } from '@orpc/server';
import { RPCHandler } from '@orpc/server/message-port';
import { app, type MessagePortMain, session, shell } from 'electron';
import { type MediaRegistry, createMediaRegistry } from '../gateway/api/api.ts';
import type { SecretStore } from '../gateway/host.ts';
import { createRedactor } from '../gateway/keys/keys.ts';
import { endAtOnce } from '../host/process/end-at-once.ts';
import { callKeychain } from '../host/keys/keychain.ts';
import { createSecretStore } from '../host/keys/secret-store.ts';
import { nativeContract } from '../host/engine/native-contract.ts';
import { parseProxyRules } from '../host/proxy-rules.ts';

/** All windows of the app have equal access to the files that they show. */
const SESSION = 'desktop';

/** Operations that only the main process can perform. */
export interface Native {
  /** Redacts the service keys that passed through this process. */
  readonly redact: (text: string) => string;
  /** Finds a file that the engine has offered to the page. */
  readonly mediaAt: (
    asked: Parameters<MediaRegistry['find']>[0],
  ) => ReturnType<MediaRegistry['find']>;
  /** Serves an engine on this port; `onMoved` is called when its proxy listens on another port. */
  readonly serve: (port: MessagePortMain, onMoved: (port: number) => void) => void;
}

export function openNative(): Native {
  const media = createMediaRegistry((size) => randomBytes(size));
  const secrets = openSecrets();
  const passed = new Set<string>();
  const calls = implement(nativeContract).$context<{ onMoved: (port: number) => void }>();
  const handler = new RPCHandler(
    calls.router({
      secrets: {
        read: calls.secrets.read.handler(async ({ input }) => {
          const found = await secrets.read(input);
          if (found.state === 'found') passed.add(found.secret);
          return found;
        }),
        write: calls.secrets.write.handler(({ input }) => {
          passed.add(input.secret);
          return secrets.write(input.account, input.secret);
        }),
        remove: calls.secrets.remove.handler(({ input }) => secrets.remove(input)),
      },
      reveal: calls.reveal.handler(({ input }) => reveal(input)),
      exposeFile: calls.exposeFile.handler(({ input }) => media.issueUrl(SESSION, input)),
      proxyFor: calls.proxyFor.handler(async ({ input }) =>
        parseProxyRules(await session.defaultSession.resolveProxy(input)),
      ),
      portChanged: calls.portChanged.handler(({ input, context }) => context.onMoved(input)),
    }),
  );
  return {
    redact: createRedactor(() => [...passed]),
    mediaAt: (asked) => media.find(asked, SESSION),
    serve: (port, onMoved) => {
      handler.upgrade(port, { context: { onMoved } });
      port.start();
    },
  };
}

/** The keychain, one call at a time for all engines, so that prompts do not overlap. */
function openSecrets(): SecretStore {
  const mutex = new Mutex();
  let waiting = 0;
  // An unanswered prompt holds a thread that cannot be cancelled, and an ordinary exit would wait for it.
  app.once('quit', (_event, exitCode) => {
    if (waiting > 0) endAtOnce(exitCode);
  });
  return createSecretStore(async (call) => {
    waiting += 1;
    return await mutex.runExclusive(() => callKeychain(call)).finally(() => (waiting -= 1));
  });
}

async function reveal(path: string): Promise<boolean> {
  const isThere = await stat(path).catch(() => null);
  if (isThere === null) return false;
  shell.showItemInFolder(path);
  return true;
}
