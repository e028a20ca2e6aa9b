import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Connections } from '../connect/connect.ts';
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
  const { host, clients } = repositories;
  let opened: Promise<Connections> | null = null;
  return () =>
    (opened ??= import('../connect/connect.ts').then(({ openConnections }) =>
      openConnections({
        ...host,
        place,
        clients,
        address: () => `http://127.0.0.1:${proxy.port}`,
        isRunning: true,
        models: () => sessions.current.models.known(),
        onChange: () => changes.emit('clients'),
      }),
    ));
}

/** Warns of programs whose settings lead to an earlier address of this Gatehouse, or are from one whose data folder is gone. Never rejects. */
export async function warnOfSettings(
  { options: { repositories, platform } }: EngineContext,
  {
    proxy,
    history,
    connections,
  }: Pick<ConnectionsParts, 'proxy'> &
    Pick<EngineCore, 'history'> & { readonly connections: OpenConnections },
): Promise<void> {
  const { host, clients } = repositories;
  const { dataDir, log, command = 'gatehouse' } = host;
  const { place } = platform;
  if (place === undefined) return;
  const entries = await readdir(join(dataDir, 'connections')).catch(() => []);
  try {
    if (entries.length > 0) {
      for (const { id, name, address, now } of (await (await connections())?.listMoved()) ?? []) {
        log(
          'warn',
          `The settings of ${name} lead to ${address}, and Gatehouse is at ${now}. Connect it again: Clients in the window, or ${command} connect ${id}`,
        );
      }
      return;
    }
    // Whose data folder was lost has no history; others need not load all that knows the programs.
    if ((await history.count({}, 1)) > 0) return;
    const { listGonePrograms } = await import('../connect/connect.ts');
    const gone = await listGonePrograms(place, { clients, ownPort: proxy.port });
    const [first] = gone;
    if (first === undefined) return;
    log(
      'warn',
      `The settings of ${gone.map(({ name }) => name).join(', ')} have a local key of a Gatehouse that is gone, which is refused. Connect again: Clients in the window, or ${command} connect ${first.id}`,
    );
  } catch (error) {
    log('warn', 'The connections of programs could not be checked.', { reason: String(error) });
  }
}
