import type { ExchangeBodies } from '../../../shared/exchange/body.ts';
import type { ExchangeId } from '../../../shared/exchange/exchange.ts';
import type { ExportChunk, ExportQuery } from '../../../shared/history/export.ts';
import { ClientId } from '../../../shared/client.ts';
import type {
  ReplayCost,
  ReplayDraft,
  ReplayEvent,
  ReplayRequest,
} from '../../../shared/replay.ts';
import type { Bodies } from '../../bodies/bodies.ts';
import { NotFoundError } from '../../errors.ts';
import type { SettingsController } from '../controllers/settings-controller.ts';
import type { History } from '../../history/history.ts';
import type { Proxy } from '../../proxy/proxy.ts';
import type { Repositories } from '../../repositories.ts';
import type { UpstreamSessions } from '../../upstreams/upstream-sessions.ts';
import { createCostEstimate, type KnownTokens } from './expect-cost.ts';

const REPLAY_CLIENT_ID = ClientId.parse('replay');

/** The requests and responses of exchanges, for windows. */
export interface ExchangeContents {
  /**
   * Returns the bodies of an exchange, also of one in flight. `isRebuilt`: that one, too, with the messages before those of its request,
   * as is usual. @throws when their database cannot be read
   */
  readBodies(id: ExchangeId, isRebuilt?: boolean): Promise<ExchangeBodies>;
  /** Exports what was recorded so far as the text of a file. Ends early when the signal is aborted. @throws NotFoundError for a run that is not stored */
  export(query: ExportQuery, signal: AbortSignal): AsyncGenerator<ExportChunk, void, void>;
  /** Sends a stored request once more, and yields what became of it. Aborting ends the request. @throws NotFoundError, UserError */
  replay(request: ReplayRequest, signal: AbortSignal): AsyncGenerator<ReplayEvent, void, void>;
  /** Says what a request that is sent again would cost at each of its models. */
  estimateReplay(draft: ReplayDraft): Promise<ReplayCost[]>;
}

interface ContentsDeps {
  readonly history: Pick<History, 'batches' | 'costRun' | 'flush' | 'get' | 'on'>;
  readonly bodies: Pick<
    Bodies,
    'findPlace' | 'flush' | 'listKeys' | 'listSteps' | 'read' | 'readMasked' | 'readMaskedRun'
  >;
  readonly proxy: Pick<Proxy, 'port' | 'readRunningBodies'>;
  readonly repositories: Pick<
    Repositories,
    'aliases' | 'clients' | 'host' | 'openSpendLimits' | 'prices'
  >;
  readonly sessions: Pick<UpstreamSessions, 'current'>;
  readonly settings: Pick<SettingsController, 'effective'>;
  /** Removes secrets from a text. */
  readonly redact: (text: string) => string;
}

/** Creates the access to the contents of exchanges. `version`: that of Gatehouse, which exports name. */
export function createExchangeContents(
  { history, bodies, proxy, repositories, sessions, settings, redact }: ContentsDeps,
  version: string,
): ExchangeContents {
  const readNow = async (id: ExchangeId, isRebuilt: boolean) =>
    (await proxy.readRunningBodies(id, isRebuilt)) ?? (await bodies.read(id));
  const readBodies = async (id: ExchangeId, isRebuilt = true) => {
    const found = await readNow(id, isRebuilt);
    if (found.earlier?.start !== 'not kept') return found;
    // What it continues is found after the exchanges so far got their places.
    await bodies.findPlace(id);
    return await readNow(id, isRebuilt);
  };
  return {
    readBodies,
    async *replay(request, signal) {
      const localKey = repositories.clients.ownKey('replay');
      const { replay } = await import('./replay.ts');
      yield* replay(request, { history, readBodies, port: proxy.port, localKey, redact }, signal);
    },
    async estimateReplay({ models, first, ...size }) {
      const expectCost = await createCostEstimate(REPLAY_CLIENT_ID, { repositories, sessions });
      const known = expectTokens(first, size);
      return models.map((model) => {
        const { model: sent, amount } = expectCost({ ...size, model }, known);
        return { model, sent, amount };
      });
    },
    async *export({ format, filter, only }, signal) {
      await Promise.all([history.flush(), bodies.flush()]);
      const ids = await findIds(only, bodies);
      const address = `http://127.0.0.1:${proxy.port}`;
      const { currency } = settings.effective().settings;
      const readMasked = (id: ExchangeId, isRebuilt: boolean) => bodies.readMasked(id, isRebuilt);
      const listKeys = (text: string) => bodies.listKeys(text);
      const now = repositories.host.now();
      const about = { address, version, currency, now };
      const source = { history, readBodies: readMasked, listKeys, ...about };
      const readRun = async () => {
        const run = only?.kind === 'run' ? await bodies.readMaskedRun(only.id) : null;
        return run && (await history.costRun(run));
      };
      const { exportExchanges } = await import('../../export/export.ts');
      yield* exportExchanges(source, { format, filter, ids, readRun, signal });
    },
  };
}

/**
 * Expects the tokens of a request from those of the first one: as many for its length, and an answer as long. Images have others. Those
 * of a request that continues a stored conversation include it, whatever its own length is.
 */
function expectTokens(
  first: ReplayDraft['first'],
  size: Pick<ReplayDraft, 'bytes' | 'images' | 'maxTokens' | 'continues'>,
): KnownTokens {
  const { input, output } = first;
  const known = output !== null && { output: Math.min(output, size.maxTokens ?? output) };
  if (input === null) return { ...known };
  if (size.continues) return { ...known, first: { ...first, input } };
  // Without the stored conversation nothing is known of the tokens.
  if (first.continues) return { ...known };
  const { bytes, images } = size;
  const isText = images === 0 && first.images === 0;
  const isSame = images === first.images && bytes === first.bytes;
  const isKnown = isText || isSame;
  return { ...known, ...(isKnown && { input: Math.round((input * bytes) / first.bytes) }) };
}

/** Returns the exchanges that alone are exported; `null` for all. */
async function findIds(
  only: ExportQuery['only'],
  bodies: Pick<Bodies, 'listSteps'>,
): Promise<readonly ExchangeId[] | null> {
  if (only === null) return null;
  if (only.kind === 'exchange') return [only.id];
  const steps = await bodies.listSteps(only.id);
  if (steps.length === 0) throw new NotFoundError('This run is not stored, or was deleted.');
  return steps;
}
