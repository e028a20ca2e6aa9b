import { UserError } from '../errors.ts';
import type { UsageExports, UsageExportsOptions } from '../reconcile/usage-exports.ts';
import type { EngineContext } from './context.ts';
import type { EngineCore } from './core.ts';

/** Returns a function that opens the usage exports at its first call: most runs compare none. They close with the engine. */
export function openUsageExportsOnce(
  { options: { repositories }, closing }: EngineContext,
  { history }: Pick<EngineCore, 'history'>,
): () => Promise<UsageExports> {
  const { host, store } = repositories;
  let opened: Promise<UsageExports> | null = null;
  let isEnding = false;
  closing.defer(async () => {
    isEnding = true;
    await (await opened?.catch(() => null))?.close();
  });
  return async () => {
    if (isEnding) throw new UserError('Gatehouse is quitting.');
    return await (opened ??= open({ host, store, history }));
  };
}

async function open(options: UsageExportsOptions): Promise<UsageExports> {
  const { openUsageExports } = await import('../reconcile/usage-exports.ts');
  return openUsageExports(options);
}
