import type { UsageOfExchange } from '../history/history.ts';
import type { UsageColumns } from '../../shared/reconcile/usage-columns.ts';
import type { ComparedExchange, ExportRow } from './match/types.ts';

/** Makes exchanges comparable with the rows of an export. */
export class ExchangeNames {
  readonly #models = new Map<string, string>();
  readonly #hasModels: boolean;

  constructor(rows: readonly ExportRow[], { model }: UsageColumns) {
    this.#hasModels = model !== null;
    for (const row of rows) this.#models.set(row.model.toLowerCase(), row.model);
  }

  toCompared(of: UsageOfExchange): ComparedExchange {
    const { id, startedAt, endedAt, input, output, cost, source } = of;
    return {
      id,
      startedAt,
      endedAt,
      model: this.#nameModel(of),
      input: input ?? 0,
      output: output ?? 0,
      cost,
      isInexact: source !== 'reported',
    };
  }

  /** A service has the model that answered or the one that was asked for in its export. */
  #nameModel({ modelServed, modelSent }: UsageOfExchange): string {
    if (!this.#hasModels) return '';
    const names = [modelServed, modelSent].filter((name) => name !== null);
    const known = names.map((name) => this.#models.get(name.toLowerCase()));
    return known.find((name) => name !== undefined) ?? modelSent ?? '';
  }
}
