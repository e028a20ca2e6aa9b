import type { Gateway } from '../../gateway/gateway.ts';
import type { Log } from '../../gateway/host.ts';
import type { Lock } from './instance-lock.ts';

/**
 * Tells other processes which service a gateway uses, where its key comes from and whether it is paused, now and after every change.
 * Returns the function that stops it.
 */
export async function announceService(gateway: Gateway, lock: Lock, log: Log): Promise<() => void> {
  let published = '';
  const announce = async (): Promise<void> => {
    const { upstream, key, paused } = await gateway.status();
    const service = upstream.kind === 'sandbox' ? 'sandbox' : upstream.baseUrl;
    const facts = { service, key, paused };
    if (JSON.stringify(facts) === published) return;
    lock.update(facts);
    published = JSON.stringify(facts);
  };
  const stop = gateway.onStatus(() => {
    announce().catch((error: unknown) => log('warn', String(error)));
  });
  await announce();
  return stop;
}
