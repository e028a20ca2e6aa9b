import { parentPort, type MessagePort } from 'node:worker_threads';
import { BodyDatabase, type KeptExchange } from './body-database.ts';
import { cleanBatch, toRunKey } from './clean-bodies.ts';
import type { CleanBody } from './clean-body.ts';
import type { EarlierMessages, ExchangeBodies } from '../../shared/exchange/body.ts';
import type { RunDetail } from '../../shared/run/run.ts';
import { type RecordedStep, recordStep } from './runs/record-step.ts';
import { listKnownKeys } from './secrets/known-keys.ts';
import { maskBodiesAgain, maskEarlierAgain, maskRunAgain } from './secrets/mask-again.ts';
import { SecretMask } from './secrets/secret-mask.ts';
import { toExchangeBodies, toKeptBodies } from './stored-bodies.ts';
import type {
  Batch,
  BatchedExchange,
  BodyRequests,
  KeptBatch,
  NumberedReply,
  NumberedRequest,
} from './protocol.ts';

type Result = BodyRequests[keyof BodyRequests]['result'];

/** Returns a function that handles a request; requests must not overlap. */
function createHandler(): (message: NumberedRequest) => Promise<Result> {
  let database: BodyDatabase | null = null;
  const mask = new SecretMask();
  const opened = (): BodyDatabase => {
    if (database !== null) return database;
    throw new Error('The database of the bodies is not open.');
  };
  return async (message) => {
    switch (message.kind) {
      case 'open':
        database = new BodyDatabase(message.request.file);
        return null;
      case 'keep':
        return await keepBatch(opened(), message.request, mask);
      case 'clean':
        return await cleanRunning(database, message.request, mask);
      case 'find-run':
        return opened().findRun((await cleanExchanges(message.request, mask)).kept);
      case 'read':
        return await readBodies(opened(), message.request, mask);
      case 'prune':
        return opened().prune(message.request);
      case 'latest':
        return opened().listLatest();
      case 'delete':
        opened().delete(message.request.ids);
        return null;
      case 'pin':
        opened().pin(message.request.ids, message.request.pinned);
        return null;
      case 'set-pinned':
        opened().setPinned(message.request.ids);
        return null;
      case 'size':
        return opened().size(message.request);
      case 'place':
        return opened().place();
      case 'runs':
        return opened().listRuns(message.request);
      case 'run':
        return await readRun(opened(), message.request, mask);
      case 'steps':
        return opened().listSteps(message.request.id);
      case 'titles':
        return opened().findTitles(message.request.ids);
      case 'record-step':
        return await recordMasked(opened(), message.request, mask);
      case 'list-keys':
        return await listKnownKeys(message.request.text);
      case 'find-place':
        return opened().findPlace(message.request.id);
      case 'search':
        return opened().search(message.request);
      case 'close':
        database?.close();
        database = null;
        return null;
    }
  };
}

async function keepBatch(
  database: BodyDatabase,
  batch: Batch,
  mask: SecretMask,
): Promise<KeptBatch> {
  const { kept, errors } = await cleanExchanges(batch, mask);
  const reason = errors[0]?.message ?? null;
  return { bytes: database.keep(kept), lost: errors.length, reason };
}

/** Returns the bodies of a batch with one exchange in flight as they would be stored. @throws when they cannot be searched */
async function cleanRunning(
  database: BodyDatabase | null,
  { isRebuilt, ...batch }: BodyRequests['clean']['request'],
  mask: SecretMask,
): Promise<ExchangeBodies> {
  const { kept, errors } = await cleanExchanges(batch, mask);
  if (errors[0] !== undefined) throw errors[0];
  const bodies = toExchangeBodies('running', kept[0]?.bodies ?? []);
  return withEarlier(bodies, isRebuilt ? database?.findEarlier(kept) : undefined);
}

async function readBodies(
  database: BodyDatabase,
  { id, again, isRebuilt }: BodyRequests['read']['request'],
  mask: SecretMask,
): Promise<ExchangeBodies> {
  const bodies = database.readClean(id);
  const kept = toKeptBodies(bodies);
  const earlier = isRebuilt ? database.readEarlier(id, kept) : undefined;
  if (again === null) return withEarlier(kept, earlier);
  const masked = toKeptBodies(await maskBodiesAgain(bodies, again, mask));
  return withEarlier(masked, await maskEarlierAgain(earlier, again, mask));
}

async function recordMasked(
  database: BodyDatabase,
  { facts, ...request }: BodyRequests['record-step']['request'],
  mask: SecretMask,
): Promise<RecordedStep | null> {
  return recordStep(await readBodies(database, { ...request, isRebuilt: false }, mask), facts);
}

function withEarlier(bodies: ExchangeBodies, earlier: EarlierMessages | undefined): ExchangeBodies {
  return earlier === undefined ? bodies : { ...bodies, earlier };
}

async function readRun(
  database: BodyDatabase,
  { id, again }: BodyRequests['run']['request'],
  mask: SecretMask,
): Promise<RunDetail | null> {
  const run = database.readRun(id);
  return run === null || again === null ? run : await maskRunAgain(run, again, mask);
}

/** Handles the requests of the main thread, one after the other. */
function serve(port: MessagePort): void {
  const handle = createHandler();
  const reply = async (message: NumberedRequest): Promise<NumberedReply> => {
    const { number } = message;
    try {
      return { number, result: await handle(message) };
    } catch (error) {
      const {
        message: text = String(error),
        errcode = null,
      }: { message?: string; errcode?: number | null } = Object(error);
      return { number, error: text, errcode };
    }
  };
  const answerAfter = async (before: Promise<void>, message: NumberedRequest): Promise<void> => {
    await before;
    port.postMessage(await reply(message));
    if (message.kind === 'close') port.close();
  };
  let earlier = Promise.resolve();
  port.on('message', (message: NumberedRequest) => {
    earlier = answerAfter(earlier, message);
  });
}

/** Returns the exchanges of a batch as they are stored, and the errors of those that cannot be searched for secrets. */
async function cleanExchanges(batch: Batch, mask: SecretMask) {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an edge: the main thread made it
  const exchanges = JSON.parse(batch.exchanges) as readonly BatchedExchange[];
  const cleaned = await cleanBatch(batch, exchanges, mask);
  const kept: KeptExchange[] = [];
  const errors: Error[] = [];
  for (const [place, bodies] of cleaned.entries()) {
    const exchange = exchanges[place];
    if (bodies instanceof Error) errors.push(bodies);
    else if (exchange !== undefined) kept.push(toKeptExchange(exchange, bodies, mask));
  }
  return { kept, errors };
}

function toKeptExchange(
  { id, startedAt, client, conversation, run, sender, step }: BatchedExchange,
  bodies: readonly CleanBody[],
  mask: SecretMask,
): KeptExchange {
  const start = readStart(bodies);
  const frame = {
    run: `${toRunKey({ client, conversation })}\n${start}`,
    kind: `${client}\n${start.replaceAll(ID, '')}`,
  };
  const facts = mask.maskText(JSON.stringify({ conversation, run, sender, step }));
  return { id, startedAt, ...frame, client, facts: step === null ? null : facts, bodies };
}

/** Characters at the start of a request that tell the requests of an agent from those of its helpers. */
const START_LENGTH = 200;
/** Matches an id, which differs between requests of the same kind. */
const ID = /[\da-f-]{16,}/gu;

function readStart(bodies: readonly CleanBody[]): string {
  const request = bodies.find(({ side }) => side === 'sent');
  return request?.head.toString('latin1', 0, START_LENGTH) ?? '';
}

if (parentPort !== null) serve(parentPort);
