import { implement } from '@orpc/server';
import { RPCHandler } from '@orpc/server/message-port';
import { type MessagePortMain, session, shell } from 'electron';
import { stat } from 'node:fs/promises';
import { callKeychain } from '../hosting/keychain.ts';
import { secretStore } from '../hosting/secret-store.ts';
import type { MediaFiles } from './media-files.ts';
import { nativeContract } from './native-contract.ts';
import { readProxyRules } from './proxy-rules.ts';

/** Serves to an engine what only the main process can do. */
export function nativeServer(media: MediaFiles): (port: MessagePortMain) => void {
  const secrets = secretStore(callKeychain);
  const calls = implement(nativeContract);
  const handler = new RPCHandler(
    calls.router({
      secrets: {
        read: calls.secrets.read.handler(({ input }) => secrets.read(input.account)),
        write: calls.secrets.write.handler(({ input }) =>
          secrets.write(input.account, input.secret),
        ),
        remove: calls.secrets.remove.handler(({ input }) => secrets.remove(input.account)),
      },
      reveal: calls.reveal.handler(({ input }) => reveal(input.path)),
      offer: calls.offer.handler(({ input }) => media.add(input)),
      proxyFor: calls.proxyFor.handler(async ({ input }) =>
        readProxyRules(await session.defaultSession.resolveProxy(input.url)),
      ),
    }),
  );
  return (port) => {
    handler.upgrade(port);
    port.start();
  };
}

async function reveal(path: string): Promise<boolean> {
  const isThere = await stat(path).catch(() => null);
  if (isThere === null) return false;
  shell.showItemInFolder(path);
  return true;
}
