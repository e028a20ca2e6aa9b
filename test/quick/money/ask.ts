import type { Limit, NewLimit } from '../../../shared/money/limit.ts';
import type { Harness } from '../../kit/gateway/harness.ts';

const PATHS = {
  chat: '/v1/chat/completions',
  messages: '/v1/messages',
  responses: '/v1/responses',
};

/** Asks a model through the gateway. */
export function ask(harness: Harness, route: keyof typeof PATHS = 'chat', more: object = {}) {
  const turns = [{ role: 'user', content: 'Hi' }];
  const body = {
    model: 'ember-mini',
    max_tokens: 50,
    ...(route === 'responses' ? { input: turns } : { messages: turns }),
    ...more,
  };
  return fetch(`http://127.0.0.1:${harness.port}${PATHS[route]}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${harness.localKey}`,
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
    },
    body: JSON.stringify(body),
  });
}

/** Sets a limit; of ten requests a day for all clients unless the fields say otherwise. */
export async function limit(harness: Harness, fields: Partial<NewLimit>): Promise<Limit> {
  const limits = await harness.repositories.openSpendLimits();
  return await limits.set({
    clientId: null,
    measure: 'requests',
    amount: 10,
    period: 'day',
    rolling: false,
    ...fields,
  });
}
