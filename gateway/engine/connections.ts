import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Connections } from '../connect/connect.ts';
import type { Host } from '../host.ts';
import { toListenerOrigin } from '../../shared/connect/further-listener.ts';
import type { EngineContext } from './context.ts';
import type { EngineCore } from './core.ts';

type OpenConnections = () => Promise<Connections | null>;

interface ConnectionsParts {
  readonly proxy: { readonly port: number };
  readonly sessions: EngineCore['sessions'];
}

/**
 * Returns a function that opens the connections at its first call: they need libraries that most runs do not. It gives `null` where
 * the shell names no person.
 */
export function openConnectionsOnce(
  { options: { repositories, platform }, changes }: EngineContext,
  { proxy, sessions }: ConnectionsParts,
): OpenConnections {
  const { place } = platform;
  if (place === undefined) return () => Promise.resolve(null);
  const { host, clients, settings } = repositories;
  let opened: Promise<Connections> | null = null;
  return () =>
    (opened ??= import('../connect/connect.ts').then(({ openConnections }) =>
      openConnections({
        ...host,
        place,
        clients,
        address: () => `http://127.0.0.1:${proxy.port}`,
        furtherAddresses: () =>
          settings
            .current()
            .furtherListeners.map((listener) => toListenerOrigin(listener, proxy.port)),
        isRunning: true,
        models: () => sessions.current.models.known(),
        onChange: () => changes.emit('clients'),
      }),
    ));
}

/** Warns of programs whose settings lead to an earlier address of this Gatehouse. Never rejects. */
export async function warnOfMoves(
  { dataDir, log, command }: Host,
  connections: OpenConnections,
): Promise<void> {
  const isConnected = await readdir(join(dataDir, 'connections')).catch(() => []);
  if (isConnected.length === 0) return;
  try {
    const moved = (await (await connections())?.listMoved()) ?? [];
    for (const { id, name, address, now } of moved) {
      log(
        'warn',
        `The settings of ${name} lead to ${address}, and Gatehouse is at ${now}. Connect it again: Clients in the window, or ${command ?? 'gatehouse'} connect ${id}`,
      );
    }
  } catch (error) {
    log('warn', 'The connections of programs could not be checked.', { reason: String(error) });
  }
}
