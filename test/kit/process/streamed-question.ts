import { type RunningServer } from './test-machine.ts';

export async function ask(
  { port }: RunningServer,
  key: string,
  scenario: string | null = 'burst=3',
  text = 'Hello',
) {
  return await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(scenario === null ? {} : { 'x-sandbox-scenario': scenario }),
    },
    body: JSON.stringify({
      model: 'aurora/aurora-large',
      stream: true,
      messages: [{ role: 'user', content: text }],
    }),
  });
}
