import { join } from 'node:path';
import type { Control } from './control.ts';
import { type Clients, maskLocalKeys, openClients } from './clients/clients.ts';
import { type History, openHistory } from './history/history.ts';
import type { Host } from './host.ts';
import {
  explainKeyError,
  explainKeyStatus,
  explainNoModelList,
  type Keys,
  redactor,
} from './keys/keys.ts';
import { type Models, openModels } from './models/models.ts';
import {
  LIMITS,
  type Limits,
  openConnections,
  openProxy,
  openRefusedParameters,
  type Target,
} from './proxy/proxy.ts';
import { Refused } from './refused.ts';
import { openStore, type Store } from './store/store.ts';
import { askModelList, openUpstreams, type Upstreams } from './upstreams/upstreams.ts';

export type { Control, RunningExchanges, UpstreamWithKey } from './control.ts';
export { PortTaken } from './proxy/proxy.ts';
export { NotFound, Refused } from './refused.ts';

/** What the data folder holds, open. Commands that only look or change something need no more than this. */
export interface Rooms {
  readonly host: Host;
  readonly store: Store;
  readonly clients: Clients;
  readonly upstreams: Upstreams;
  /** When a service key was last kept or removed, as it stood at the opening: a key read later is at least as new. */
  readonly keyChangedAt: number | null;
  close(): Promise<void>;
}

export interface RoomsOptions {
  readonly host: Host;
  /** One more local key, given by the environment and not kept. */
  readonly fixedLocalKey?: string;
}

/** Opens the data folder. Rejects with StoreError or ClientRefused, whose messages are for people. */
export async function openRooms({ host, fixedLocalKey }: RoomsOptions): Promise<Rooms> {
  const { now, randomBytes } = host;
  const store = await openStore(join(host.dataDir, 'gatehouse.db'));
  try {
    const fixed = fixedLocalKey === undefined ? {} : { fixedLocalKey };
    const clients = await openClients({ store, now, randomBytes, ...fixed });
    const upstreams = openUpstreams({ store, randomBytes });
    const keyChangedAt = await upstreams.keyChangedAt();
    return { host, store, clients, upstreams, keyChangedAt, close: () => store.close() };
  } catch (error) {
    await store.close();
    throw error;
  }
}

export interface GatewayOptions {
  readonly rooms: Rooms;
  /** The service key of this upstream. */
  readonly keys: Keys;
  readonly upstream: { readonly baseUrl: string; readonly versionVendor: string };
  /** 0 for any free one. */
  readonly port: number;
  /** Turns every repair off. */
  readonly strict: boolean;
  /** Origins of web pages that may use the proxy. */
  readonly allowedOrigins: readonly string[];
  readonly limits?: Partial<Limits>;
}

/** The engine, running. */
export interface Gateway extends Control {
  /** Of the proxy, now. */
  readonly port: number;
  /** Exchanges on their way at this moment. */
  readonly running: number;
  readonly history: History;
  /** Of the upstream in use now. */
  readonly models: Models;
  readonly clients: Clients;
  /** Takes no new requests, gives running exchanges up to `drainMs`, writes the history and stops. The rooms stay open. */
  close(drainMs: number): Promise<void>;
}

const KEEP = { days: 90, headersDays: 7 };
const LIST_TIMEOUT_MS = 20_000;
/** Room for the name of this process in `Via`, so that a request that comes back is known. */
const VIA_BYTES = 4;

/** Builds and wires everything. Rejects with PortTaken, or with what the store says. */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { rooms, keys, upstream, strict, allowedOrigins } = options;
  const { host, store, clients } = rooms;
  const { log, now, randomBytes } = host;
  const redact = redactorFor(keys, clients);
  const history = openHistory({ store, now, redact, log, keep: () => KEEP });
  const baseUrl = upstream.baseUrl;
  const models = await openModels({
    store,
    upstream: baseUrl,
    fetchList: (signal) => fetchModelList({ baseUrl, keys, host, signal }),
    now,
    log,
  });
  const refused = await openRefusedParameters({ store, baseUrl, now, log });
  const limits = { ...LIMITS, ...options.limits };
  const connections = openConnections(new URL(baseUrl).origin, limits.connectMs);
  const via = `gatehouse-${Buffer.from(randomBytes(VIA_BYTES)).toString('hex')}`;
  const parts = {
    gate: { allowedOrigins, via },
    target: targetOf(upstream),
    strict,
    limits,
    connections,
    clients,
    key: keys,
    models,
    refused,
    log,
    redact,
    record: (exchange, heads) => history.record(exchange, heads),
    now,
    randomBytes,
  } satisfies Parameters<typeof openProxy>[0]['parts'];
  const stopKeeping = await keepInStep(rooms, keys);
  const closeRest = async (): Promise<void> => {
    stopKeeping();
    await connections.close();
    await models.close();
    await history.close();
  };
  const proxy = await openProxy({ port: options.port, parts }).catch(async (error: unknown) => {
    await closeRest();
    throw error;
  });
  return {
    ...pending(),
    clients,
    port: proxy.port,
    get running() {
      return proxy.running;
    },
    history,
    models,
    close: async (drainMs) => {
      await proxy.close(drainMs);
      await closeRest();
    },
  };
}

function targetOf({ baseUrl, versionVendor }: GatewayOptions['upstream']): Target {
  const { origin, pathname } = new URL(baseUrl);
  return { origin, basePath: pathname.replace(/\/$/, ''), vendor: versionVendor };
}

/** Takes the service key and every local key out of a text. */
function redactorFor(keys: Keys, clients: Clients): (text: string) => string {
  const redactServiceKey = redactor(() => {
    const key = keys.current();
    return key === null ? [] : [key];
  });
  const redactFixedKey = redactor(() => clients.secrets(), '<local key>');
  return (text) => maskLocalKeys(redactFixedKey(redactServiceKey(text)));
}

interface ListTask {
  readonly baseUrl: string;
  readonly keys: Keys;
  readonly host: Host;
  readonly signal: AbortSignal;
}

/** Rejects with a sentence for people. */
async function fetchModelList({ baseUrl, keys, host, signal }: ListTask): Promise<Buffer> {
  const { command = 'gatehouse' } = host;
  const key = keys.current();
  if (key === null) throw new Error(keys.state().sentence);
  const task = { baseUrl, key, timeoutMs: LIST_TIMEOUT_MS, signal };
  const answer = await askModelList(task).catch((error: unknown) => {
    throw new Error(explainKeyError(error).sentence, { cause: error });
  });
  if (answer.status === 401) {
    throw new Error(
      `The service refuses the service key (401). Your local keys are fine; run ${command} key test`,
    );
  }
  if (answer.status === 200) return answer.body;
  const { status } = answer;
  const verdict = status < 300 ? explainNoModelList(status) : explainKeyStatus(status, command);
  throw new Error(verdict.sentence);
}

/**
 * Another terminal may add or revoke a client, or change the key: looks again when the database says so, and once at the start,
 * for what happened between the opening of the rooms and now.
 */
async function keepInStep(rooms: Rooms, keys: Keys): Promise<() => void> {
  const { store, clients, upstreams, host } = rooms;
  let { keyChangedAt } = rooms;
  const look = async (): Promise<void> => {
    try {
      await clients.reload();
      const at = await upstreams.keyChangedAt();
      if (at !== keyChangedAt) await keys.reload();
      keyChangedAt = at;
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'no reason given';
      host.log('warn', `Changes from another process could not be read: ${reason}`);
    }
  };
  const stop = store.onOutsideChange(() => void look());
  await look();
  return stop;
}

function refuse(): never {
  throw new Refused('This is not possible yet.');
}

function pending(): Control {
  return {
    status: refuse,
    runningExchanges: () => ({ exchanges: [], total: 0 }),
    on: () => () => undefined,
    listUpstreams: refuse,
    testUpstream: refuse,
    addUpstream: refuse,
    changeUpstream: refuse,
    removeUpstream: refuse,
    useUpstream: refuse,
    saveKey: refuse,
    forgetKey: refuse,
    readKey: refuse,
    settings: refuse,
    changeSettings: refuse,
    dataFolder: refuse,
    windowKey: '',
    guardPort: () => undefined,
  };
}
