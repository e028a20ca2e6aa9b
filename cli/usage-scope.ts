import type { UsageScope } from '../shared/history/history.ts';
import type { CommandContext } from './command-context.ts';
import { findServiceInUse } from './service-in-use.ts';
import type { CommandRepositories } from './with-repositories.ts';

/** Finds whose totals to show: the sandbox's while it is in use here, otherwise those of the services. */
export async function findUsageScope(
  context: CommandContext,
  repositories: CommandRepositories,
): Promise<UsageScope> {
  const { service } = await findServiceInUse(context, repositories, {});
  return service === null ? 'sandbox' : 'services';
}

/** Says which requests the totals above cover. */
export const SCOPE_NOTES: Readonly<Record<UsageScope, string>> = {
  services: 'Without requests to the sandbox.',
  sandbox: 'Requests to the sandbox only: nobody pays for them.',
};
