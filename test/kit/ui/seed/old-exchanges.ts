import type { RouteName } from '../../../../shared/exchange/exchange.ts';
import { openHistory, type RawHeaderSnapshots } from '../../../../gateway/history/history.ts';
import type { Repositories } from '../../../../gateway/gateway.ts';
import { anExchange } from '../../history/an-exchange.ts';

/** Batch size: the history's buffer takes no more than 10,000. */
const AT_A_TIME = 5_000;

function keep() {
  return { days: 90, headersDays: 7 };
}

/** Overrides for one of many exchanges; `number` is 0 for the newest. */
export type FieldsFor = (number: number) => Record<string, unknown>;

/** Fills a data folder with exchanges of the past, a second apart: `{ seed: { more: oldExchanges(300) } }`. */
export function seedOldExchanges(
  count: number,
  different: FieldsFor = () => ({}),
  heads?: RawHeaderSnapshots,
) {
  return async ({ host, store }: Repositories): Promise<void> => {
    const history = openHistory({
      store,
      now: host.now,
      redact: String,
      log: host.log,
      getRetention: keep,
    });
    const now = host.now();
    for (let number = count - 1; number >= 0; number -= 1) {
      const fields = {
        startedAt: now - 60_000 - number * 1_000,
        modelAsked: `acme/model-${number}`,
        modelSent: `acme/model-${number}`,
        repairs: [],
        ...different(number),
      };
      history.record(anExchange(`old-${String(number).padStart(7, '0')}`, fields), heads);
      if (number % AT_A_TIME === 0) await history.flush();
    }
    await history.close();
  };
}

/** Exchanges that differ in everything one can filter by. */
export function variedFields(number: number): Record<string, unknown> {
  const routes: readonly RouteName[] = ['chat', 'messages', 'responses'];
  const failed = number % 5 === 0;
  return {
    clientName: number % 2 === 0 ? 'Cline' : 'Zed',
    route: routes[number % 3],
    modelSent: number % 3 === 0 ? 'acme/large' : 'acme/small',
    status: failed ? 429 : 200,
    errorCode: failed ? 'rate_limited' : null,
    streamed: number % 2 === 1,
    repairs:
      number % 4 === 0
        ? [{ code: 'path-case', before: '/V1/chat', after: '/v1/chat', advice: 'Write /v1.' }]
        : [],
  };
}
