import type { Log } from '../../host.ts';
import type { Store } from '../../store/store.ts';

/** A service knows no longer model, so nothing is remembered about one. */
export const MAX_MODEL_LENGTH = 256;

/** Remembers which models reject which optional parameter, so that it is left out of the first attempt. */
export interface RejectedParameters {
  has(model: string, parameter: string): boolean;
  add(model: string, parameter: string): void;
}

export interface RejectedParametersOptions {
  readonly store: Store;
  readonly baseUrl: string;
  /** Unix time in milliseconds. */
  readonly now: () => number;
  readonly log: Log;
}

/** After a week the parameter is tried again, because models change. */
const REMEMBERED_MS = 7 * 24 * 60 * 60 * 1000;

/** Loads the rejected parameters of one upstream. @throws StoreError */
export async function openRejectedParameters(
  options: RejectedParametersOptions,
): Promise<RejectedParameters> {
  const { store, baseUrl, now, log } = options;
  const rows = await store.db
    .selectFrom('rejected_parameter')
    .select(['model', 'parameter', 'seen_at'])
    .where('base_url', '=', baseUrl)
    .execute();
  const seen = new Map(rows.map((row) => [toKey(row.model, row.parameter), row.seen_at]));
  const isRefused = (model: string, parameter: string): boolean => {
    const at = seen.get(toKey(model, parameter));
    return at !== undefined && now() - at < REMEMBERED_MS;
  };

  return {
    has: isRefused,
    add: (model, parameter) => {
      const seenAt = now();
      if (!isRefused(model, parameter))
        log('info', `${model} refuses ${parameter}, which is left out for a week.`);
      seen.set(toKey(model, parameter), seenAt);
      store.db
        .insertInto('rejected_parameter')
        .values({ base_url: baseUrl, model, parameter, seen_at: seenAt })
        .onConflict((conflict) =>
          conflict.columns(['base_url', 'model', 'parameter']).doUpdateSet({ seen_at: seenAt }),
        )
        .execute()
        .catch((error: unknown) => {
          log('warn', `Could not remember that ${model} refuses ${parameter}: ${String(error)}`);
        });
    },
  };
}

function toKey(model: string, parameter: string): string {
  return `${parameter} ${model}`;
}
