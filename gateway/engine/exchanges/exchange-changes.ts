import { Mutex } from 'async-mutex';
import type { ExchangeId, RunId } from '../../../shared/exchange/exchange.ts';
import type { ExchangeMark, MarkChange } from '../../../shared/exchange/exchange-mark.ts';
import type { Bodies } from '../../bodies/bodies.ts';
import { NotFoundError, UserError } from '../../errors.ts';
import type { History } from '../../history/history.ts';
import type { Log } from '../../host.ts';
import type { Proxy } from '../../proxy/proxy.ts';

/** Changes of stored exchanges by people. */
export interface ExchangeChanges {
  /**
   * Changes the mark of an exchange. Returns the mark after it. @throws NotFoundError; UserError for one in flight, and for tags that
   * cannot be stored
   */
  markExchange(id: ExchangeId, change: MarkChange): Promise<ExchangeMark>;
  /** Pins the exchanges of a run that are stored now, or unpins them. Returns their number. @throws NotFoundError */
  pinRun(id: RunId, pinned: boolean): Promise<number>;
  /** Deletes an exchange with everything that is stored of it, also a pinned one. @throws NotFoundError; UserError for one in flight */
  deleteExchange(id: ExchangeId): Promise<void>;
  /** Deletes the exchanges of a run, those in flight when they have ended. Returns the number of the others. @throws NotFoundError */
  deleteRun(id: RunId): Promise<number>;
}

/** Changes of exchanges that are stored here. */
export interface StoredExchangeChanges extends ExchangeChanges {
  /** Waits for the deletions of exchanges that were in flight. All others must have ended. */
  settle(): Promise<void>;
}

export interface ExchangeChangesDeps {
  readonly history: Pick<History, 'mark' | 'pin' | 'delete' | 'findExisting'>;
  readonly bodies: Pick<Bodies, 'listSteps' | 'pin' | 'delete'>;
  readonly running: Pick<Proxy, 'isRunning' | 'listRunningOf' | 'whenEnded'>;
  readonly log: Log;
  /** Is called after each change. */
  readonly onChange: () => void;
}

/** Creates the changes, which are made one after the other: history and bodies then agree about the pins. */
export function createExchangeChanges(deps: ExchangeChangesDeps): StoredExchangeChanges {
  const { history, bodies, running, log, onChange } = deps;
  const mutex = new Mutex();
  const late = new Set<Promise<void>>();
  const change = async <Done>(work: () => Promise<Done>): Promise<Done> => {
    const done = await mutex.runExclusive(work);
    onChange();
    return done;
  };
  const listSteps = async (id: RunId) => {
    const steps = await bodies.listSteps(id);
    if (steps.length === 0) throw new NotFoundError('This run is not stored, or was deleted.');
    return steps;
  };
  const deleteWhenEnded = async (id: ExchangeId): Promise<void> => {
    try {
      await running.whenEnded(id);
      await change(() => deleteAll([id], deps));
    } catch (error) {
      log('warn', 'A request of a deleted run could not be deleted.', {
        id,
        reason: String(error),
      });
    }
  };
  const deleteLater = (id: ExchangeId): void => {
    const deletion = deleteWhenEnded(id).finally(() => late.delete(deletion));
    late.add(deletion);
  };
  return {
    settle: async () => void (await Promise.all(late)),
    markExchange: (id, changed) =>
      change(async () => {
        const mark = await history.mark(id, changed);
        if (mark === null) throw createMissingError(id, deps);
        if (changed.pinned !== undefined) await bodies.pin([id], mark.pinned);
        return mark;
      }),
    pinRun: (id, pinned) =>
      change(async () => {
        const found = await history.pin(await listSteps(id), pinned);
        await bodies.pin(found, pinned);
        return found.length;
      }),
    deleteExchange: (id) =>
      change(async () => {
        if ((await history.findExisting([id])).length === 0) throw createMissingError(id, deps);
        await deleteAll([id], deps);
      }),
    deleteRun: (id) =>
      change(async () => {
        // Stored exchanges get their place first, because those in flight continue them.
        await listSteps(id);
        const flying = await running.listRunningOf(id);
        const steps = await listSteps(id);
        await deleteAll(steps, deps);
        for (const flight of flying) deleteLater(flight);
        return steps.length;
      }),
  };
}

/** The bodies go first: while the history has the exchange, the deletion can be repeated after a failure. */
async function deleteAll(
  ids: readonly ExchangeId[],
  { bodies, history }: ExchangeChangesDeps,
): Promise<void> {
  await bodies.delete(ids);
  await history.delete(ids);
}

function createMissingError(id: ExchangeId, { running }: ExchangeChangesDeps): Error {
  return running.isRunning(id)
    ? new UserError('This exchange is still in progress. Mark or delete it when it has ended.')
    : new NotFoundError('This exchange is not in the history, or was deleted.');
}
