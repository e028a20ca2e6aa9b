/** A request of a client; by default a chat request that is answered completely. */
export interface TestRequest {
  readonly protocol?: 'chat' | 'responses' | 'messages';
  /** The path as the client writes it; defaults to the right one of the protocol. */
  readonly path?: string;
  readonly method?: string;
  readonly model?: string;
  readonly stream?: boolean;
  readonly text?: string;
  /** The scenario of the sandbox, such as `slow-stream=500` (see `sandbox/README.md`). */
  readonly scenario?: string;
  /** Instead of the harness's own local key. */
  readonly localKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of one that fits the protocol. */
  readonly body?: object | string;
  readonly signal?: AbortSignal;
}

/** An answer that was read to its end. */
export interface Answered {
  readonly status: number;
  readonly text: string;
  /** The id of its record in the history. */
  readonly exchangeId: string;
}

const PATHS = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
};

/** Sends a request as a client does; the answer is not read yet. */
export async function send(
  url: string,
  localKey: string,
  ask: TestRequest = {},
): Promise<Response> {
  const { protocol = 'chat', method = 'POST', scenario, signal } = ask;
  const key = ask.localKey ?? localKey;
  return await fetch(`${url}${ask.path ?? PATHS[protocol]}`, {
    method,
    headers: {
      ...(protocol === 'messages'
        ? { 'x-api-key': key, 'anthropic-version': '2023-06-01' }
        : { authorization: `Bearer ${key}` }),
      ...(scenario === undefined ? {} : { 'x-sandbox-scenario': scenario }),
      ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
      ...ask.headers,
    },
    ...(method === 'GET' ? {} : { body: toBody(ask) }),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** Reads an answer to its end. One that breaks off counts as read. */
export async function read(answer: Response): Promise<Answered> {
  const { status, headers } = answer;
  const text = await answer.text().catch(() => '');
  return { status, text, exchangeId: headers.get('x-gatehouse-exchange') ?? '' };
}

function toBody({ protocol = 'chat', model = 'aurora/aurora-large', ...ask }: TestRequest): string {
  if (typeof ask.body === 'string') return ask.body;
  const { stream = false, text = 'Hello' } = ask;
  const messages = [{ role: 'user', content: text }];
  const bodies = {
    chat: { model, stream, messages },
    responses: { model, stream, input: text },
    messages: { model, stream, messages, max_tokens: 256 },
  };
  return JSON.stringify(ask.body ?? bodies[protocol]);
}
