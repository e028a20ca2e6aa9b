import type { Client } from '../../../shared/client.ts';
import type { ExchangeSummary } from '../../../shared/history/history.ts';
import { type Ended } from '../../../shared/exchange/outcome.ts';
import { describeFailure } from '../../../shared/failure/find-failure.ts';

type Candidate = Ended & Pick<ExchangeSummary, 'route' | 'clientName' | 'startedAt'>;

/**
 * Chooses the request that shows best whether Gatehouse works, of exchanges sorted newest first: the oldest that worked of the
 * created client, its latest failure, the oldest that worked of any client, the latest failure. Model lists do not count: many
 * programs fetch them unasked.
 */
export function chooseFirstRequest<Exchange extends Candidate>(
  exchanges: readonly Exchange[],
  created: Pick<Client, 'name' | 'createdAt'> | null,
): Exchange | undefined {
  const requests = exchanges.filter(isRequest);
  const own = created === null ? [] : requests.filter((each) => isOf(each, created));
  return own.findLast(isWorking) ?? own[0] ?? requests.findLast(isWorking) ?? requests[0];
}

/** Whether a request of any client has worked. It ends the first steps, also while the created client fails. */
export function isAnyWorking(exchanges: readonly Candidate[]): boolean {
  return exchanges.some((each) => isRequest(each) && isWorking(each));
}

function isRequest({ route }: Candidate): boolean {
  return route !== 'models';
}

/** Whether an exchange got a whole answer that is no error. */
export function isWorking(ended: Ended): boolean {
  return describeFailure(ended) === null;
}

/** Whether a request is of the client, or of a program whose key is wrong since the client exists. */
function isOf(
  { clientName, startedAt }: Candidate,
  { name, createdAt }: Pick<Client, 'name' | 'createdAt'>,
): boolean {
  return startedAt >= createdAt && (clientName === name || clientName === null);
}
