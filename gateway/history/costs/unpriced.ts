import { isInScope, type Store } from '../../store/store.ts';

/** A model of a service that had no price when it was used. */
export interface UnpricedUse {
  /** Stable id of the service; empty when it is unknown. */
  readonly service: string;
  readonly model: string;
  /** Number of exchanges without a cost. */
  readonly exchanges: number;
}

const MAX_MODELS = 200;

/** Returns the models of services with exchanges that are unpriced, those with the most first. */
export async function listUnpriced(store: Store): Promise<UnpricedUse[]> {
  return await store.db
    .selectFrom('exchange_sum')
    .where('model', '<>', '')
    .where('unpriced', '>', 0)
    .where(isInScope('services'))
    .groupBy(['service', 'model'])
    .select(({ fn }) => ['service', 'model', fn.sum<number>('unpriced').as('exchanges')])
    .orderBy(({ fn }) => fn.sum('unpriced'), 'desc')
    .orderBy('model')
    .limit(MAX_MODELS)
    .execute();
}
