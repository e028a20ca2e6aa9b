import type { TextProtocol } from '../chat/chat.ts';
import { formatLiteral, PYTHON, TYPESCRIPT } from './literal.ts';
import { type CodeRequest, KEY_VARIABLE } from './code-request.ts';

/** A request of a text protocol with the fields of its body. */
export interface SdkRequest extends Omit<CodeRequest, 'body' | 'protocol'> {
  readonly protocol: TextProtocol;
  readonly fields: Readonly<Record<string, unknown>>;
}

const OPENAI = { library: 'openai', package: 'openai', client: 'OpenAI', base: '/v1' } as const;
/** This client appends `/v1` itself (spec section 1). */
const ANTHROPIC = {
  library: 'anthropic',
  package: '@anthropic-ai/sdk',
  client: 'Anthropic',
  base: '',
} as const;

const CALLS: Readonly<Record<TextProtocol, string>> = {
  chat: 'chat.completions.create',
  responses: 'responses.create',
  messages: 'messages.create',
};

/** Formats a request as a Python program with the official client. */
export function formatPythonSdk(request: SdkRequest): string {
  const { protocol, origin, fields } = request;
  const { library, client, base } = protocol === 'messages' ? ANTHROPIC : OPENAI;
  const { known, others } = splitFields(request);
  const { headers, query } = findExtras(request);
  const given = {
    ...known,
    ...(isEmpty(others) ? {} : { extra_body: others }),
    ...(isEmpty(headers) ? {} : { extra_headers: headers }),
    ...(isEmpty(query) ? {} : { extra_query: query }),
  };
  const lines = Object.entries(given).map(
    ([name, value]) => `    ${name}=${formatLiteral(value, PYTHON, 1)},\n`,
  );
  const isStream = fields['stream'] === true;
  return `import os

from ${library} import ${client}

client = ${client}(
    base_url="${origin}${base}",
    api_key=os.environ["${KEY_VARIABLE}"],
)
${isStream ? 'stream' : 'response'} = client.${CALLS[protocol]}(
${lines.join('')})
${isStream ? `for event in stream:\n${PYTHON_STREAM[protocol]}` : PYTHON_ANSWER[protocol]}
`;
}

/** Formats a request as a TypeScript program with the official client. */
export function formatTypescriptSdk(request: SdkRequest): string {
  const { protocol, origin, fields } = request;
  const { package: name, client, base } = protocol === 'messages' ? ANTHROPIC : OPENAI;
  const { headers, query } = findExtras(request);
  const options = {
    ...(isEmpty(headers) ? {} : { headers }),
    ...(isEmpty(query) ? {} : { query }),
  };
  const given = [fields, ...(isEmpty(options) ? [] : [options])]
    .map((value) => formatLiteral(value, TYPESCRIPT))
    .join(', ');
  const isStream = fields['stream'] === true;
  return `import ${client} from '${name}';

const client = new ${client}({
  baseURL: '${origin}${base}',
  apiKey: process.env.${KEY_VARIABLE},
});
const ${isStream ? 'stream' : 'response'} = await client.${CALLS[protocol]}(${given});
${isStream ? `for await (const event of stream) {\n${TYPESCRIPT_STREAM[protocol]}\n}` : TYPESCRIPT_ANSWER[protocol]}
`;
}

/** Arguments that the Python clients have had for long. Others are passed in `extra_body`, because an unknown one is an error. */
const KNOWN: Readonly<Record<TextProtocol, ReadonlySet<string>>> = {
  chat: new Set(
    `model messages stream stream_options temperature top_p max_tokens max_completion_tokens n stop seed tools tool_choice
    parallel_tool_calls response_format logprobs top_logprobs logit_bias presence_penalty frequency_penalty user metadata
    reasoning_effort store`.split(/\s+/u),
  ),
  responses: new Set(
    `model input instructions stream temperature top_p max_output_tokens tools tool_choice parallel_tool_calls text reasoning
    include previous_response_id metadata store truncation user`.split(/\s+/u),
  ),
  messages: new Set(
    `model messages max_tokens system stream temperature top_p top_k stop_sequences tools tool_choice thinking metadata`.split(
      ' ',
    ),
  ),
};

function splitFields({ protocol, fields }: SdkRequest) {
  const entries = Object.entries(fields);
  const isKnown = ([name]: readonly [string, unknown]) => KNOWN[protocol].has(name);
  return {
    known: Object.fromEntries(entries.filter(isKnown)),
    others: Object.fromEntries(entries.filter((entry) => !isKnown(entry))),
  };
}

/** Returns the headers that the client does not send itself, and the parameters of the query. */
function findExtras({ headers, path }: SdkRequest) {
  const own = headers.filter(([name]) => !/^content-type$|-version$/iu.test(name));
  const [, query = ''] = path.split('?', 2);
  const pairs = query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => pair.split('=', 2).map(decode));
  return { headers: Object.fromEntries(own), query: Object.fromEntries(pairs) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}

const PYTHON_STREAM: Readonly<Record<TextProtocol, string>> = {
  chat: `    if event.choices:
        print(event.choices[0].delta.content or "", end="", flush=True)`,
  responses: `    if event.type == "response.output_text.delta":
        print(event.delta, end="", flush=True)`,
  messages: `    if event.type == "content_block_delta" and event.delta.type == "text_delta":
        print(event.delta.text, end="", flush=True)`,
};

const PYTHON_ANSWER: Readonly<Record<TextProtocol, string>> = {
  chat: 'print(response.choices[0].message.content)',
  responses: 'print(response.output_text)',
  messages: `for block in response.content:
    if block.type == "text":
        print(block.text)`,
};

const TYPESCRIPT_STREAM: Readonly<Record<TextProtocol, string>> = {
  chat: `  process.stdout.write(event.choices[0]?.delta.content ?? '');`,
  responses: `  if (event.type === 'response.output_text.delta') process.stdout.write(event.delta);`,
  messages: `  if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') {
    process.stdout.write(event.delta.text);
  }`,
};

const TYPESCRIPT_ANSWER: Readonly<Record<TextProtocol, string>> = {
  chat: 'console.log(response.choices[0]?.message.content);',
  responses: 'console.log(response.output_text);',
  messages: `for (const block of response.content) {
  if (block.type === 'text') console.log(block.text);
}`,
};
