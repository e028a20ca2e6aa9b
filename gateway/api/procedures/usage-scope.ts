import type { UsageScope } from '../../../shared/history/history.ts';
import type { Gateway } from '../../gateway.ts';

/** Returns whose totals the window shows: the sandbox's while it is in use, otherwise those of the services. */
export async function findUsageScope(gateway: Pick<Gateway, 'status'>): Promise<UsageScope> {
  const { upstream } = await gateway.status();
  return upstream.kind === 'sandbox' ? 'sandbox' : 'services';
}
