import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { openClients, type Clients } from '../../gateway/clients/clients.ts';
import {
  type Connections,
  type ConnectionsOptions,
  openConnections,
} from '../../gateway/connect/connect.ts';
import { NUMBERS } from '../../gateway/history/usage/sum-columns.ts';
import { openStore } from '../../gateway/store/store.ts';

/** The account of a person with a data folder of Gatehouse, in a temporary folder. */
export interface UserHome extends AsyncDisposable {
  readonly home: string;
  readonly dataDir: string;
  readonly clients: Clients;
  readonly connections: Connections;
  /** Opens the connections once more, as another process does, for a person in a terminal. `platform`: this one when absent. */
  open(terminal?: ConnectionsOptions['terminal'], platform?: NodeJS.Platform): Promise<Connections>;
  /** Writes a file below the home folder. */
  put(path: string, text: string, mode?: number): Promise<string>;
  /** Changes the local address. */
  moveTo(port: number): void;
  /** Puts the clock of the clients forward by milliseconds. */
  wait(ms: number): void;
  /** Counts a request of a client: in the totals of the history, or in those of limits only. */
  countRequest(clientId: string, table: 'exchange_sum' | 'spend'): Promise<void>;
}

const log = () => undefined;

const COUNT = {
  exchange_sum: (id: string) =>
    sql`insert into exchange_sum (day, service, client_id, client_name, model, last_at, ${sql.raw(NUMBERS.join(', '))})
      values ('2026-01-01', '', ${id}, '', '', 1, ${sql.raw(NUMBERS.map(() => '1').join(', '))})`,
  spend: (id: string) =>
    sql`insert into spend (scope, client_id, quarter, money, tokens, requests) values ('', ${id}, 0, 0, 0, 1)`,
};

/** An address at which Gatehouse listens for containers, until it is moved. */
export const FURTHER_ADDRESS = 'http://172.17.0.1:6417';

/** Opens an account without settings of any program. `environment`: variables beside PATH. */
export async function openUserHome(
  environment: Readonly<Record<string, string>> = {},
): Promise<UserHome> {
  const opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-connect-'));
  opened.defer(() => rm(folder, { recursive: true }));
  const home = join(folder, 'home');
  const dataDir = join(folder, 'data');
  await Promise.all([mkdir(home), mkdir(dataDir, { mode: 0o700 })]);
  let address = 'http://127.0.0.1:6417';
  let waited = 0;
  const now = () => Date.now() + waited;
  const openOne = async (...[terminal, platform]: Parameters<UserHome['open']>) => {
    const store = await openStore(join(dataDir, 'gatehouse.db'));
    opened.defer(() => store.close());
    const clients = await openClients({ store, now, randomBytes, log });
    const connections = openConnections({
      dataDir,
      place: {
        home,
        environment: { ...environment, PATH: join(folder, 'bin') },
        platform: platform ?? process.platform,
      },
      ...(terminal === undefined ? {} : { terminal }),
      clients,
      now,
      log,
      address: () => address,
      furtherAddresses: () => [address.replace('127.0.0.1', '172.17.0.1')],
      isRunning: true,
      models: () => [],
    });
    return { store, clients, connections };
  };
  const { store, clients, connections } = await openOne();
  return {
    home,
    dataDir,
    clients,
    connections,
    open: async (...options) => (await openOne(...options)).connections,
    put: async (path, text, mode = 0o644) => {
      const file = join(home, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
      await chmod(file, mode);
      return file;
    },
    moveTo: (port) => {
      address = `http://127.0.0.1:${port}`;
    },
    wait: (ms) => {
      waited += ms;
    },
    countRequest: async (clientId, table) => {
      await COUNT[table](clientId).execute(store.db);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
