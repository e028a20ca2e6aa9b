import type { SnippetLanguage, TextProtocol } from '../../shared/chat.ts';
import { VERSION } from './ask.ts';
import { PYTHON, pretty, type Spelling, TYPESCRIPT } from './literal.ts';
import type { TextRequest } from './request.ts';

export interface SnippetAsked {
  readonly protocol: TextProtocol;
  readonly language: SnippetLanguage;
  /** Of the proxy. */
  readonly port: number;
  /** The `<vendor>` of the version header (spec section 9). */
  readonly vendor: string;
}

/** As the pages that set programs up name it. */
const KEY_PLACEHOLDER = 'YOUR_LOCAL_KEY';

/** A program that makes this request at the local address; whoever runs it puts a local key in the place of the placeholder. */
export function snippet(request: TextRequest, asked: SnippetAsked): string {
  switch (asked.language) {
    case 'curl':
      return curl(request, asked);
    case 'python':
      return python(request, asked);
    case 'typescript':
      return typescript(request, asked);
  }
}

/** No line of JSON can be the word that ends it, so nothing in a text needs quoting. */
function curl({ path, body }: TextRequest, { protocol, port, vendor }: SnippetAsked): string {
  const key =
    protocol === 'messages'
      ? [`x-api-key: ${KEY_PLACEHOLDER}`, `${vendor}-version: ${VERSION}`]
      : [`authorization: Bearer ${KEY_PLACEHOLDER}`];
  const headers = ['content-type: application/json', ...key];
  return [
    `curl --no-buffer http://127.0.0.1:${port}${path} \\`,
    ...headers.map((line) => `  --header '${line}' \\`),
    `  --data-binary @- <<'JSON'`,
    JSON.stringify(body, null, 2),
    'JSON',
    '',
  ].join('\n');
}

function python({ body }: TextRequest, { protocol, port }: SnippetAsked): string {
  const { library, client, base } = protocol === 'messages' ? ANTHROPIC : OPENAI;
  const given = argumentsOf(body, PYTHON, (name, value) => `    ${name}=${value},\n`);
  return `from ${library} import ${client}

client = ${client}(
    base_url="http://127.0.0.1:${port}${base}",
    api_key="${KEY_PLACEHOLDER}",
)
stream = client.${CALLS[protocol]}(
${given})
for event in stream:
${PYTHON_READS[protocol]}
`;
}

function typescript({ body }: TextRequest, { protocol, port }: SnippetAsked): string {
  const { package: name, client, base } = protocol === 'messages' ? ANTHROPIC : OPENAI;
  const given = argumentsOf(body, TYPESCRIPT, (field, value) => `  ${field}: ${value},\n`);
  return `import ${client} from '${name}';

const client = new ${client}({
  baseURL: 'http://127.0.0.1:${port}${base}',
  apiKey: '${KEY_PLACEHOLDER}',
});
const stream = await client.${CALLS[protocol]}({
${given}});
for await (const event of stream) {
${TYPESCRIPT_READS[protocol]}
}
`;
}

/** The fields of a request are plain names in every language. */
function argumentsOf(
  body: TextRequest['body'],
  spelling: Spelling,
  line: (name: string, value: string) => string,
): string {
  return Object.entries(body)
    .map(([name, value]) => line(name, pretty(value, spelling, 1)))
    .join('');
}

const OPENAI = { library: 'openai', package: 'openai', client: 'OpenAI', base: '/v1' } as const;
/** This client appends `/v1` by itself (spec section 1). */
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

const PYTHON_READS: Readonly<Record<TextProtocol, string>> = {
  chat: `    if event.choices:
        print(event.choices[0].delta.content or "", end="", flush=True)`,
  responses: `    if event.type == "response.output_text.delta":
        print(event.delta, end="", flush=True)`,
  messages: `    if event.type == "content_block_delta" and event.delta.type == "text_delta":
        print(event.delta.text, end="", flush=True)`,
};

const TYPESCRIPT_READS: Readonly<Record<TextProtocol, string>> = {
  chat: `  process.stdout.write(event.choices[0]?.delta.content ?? '');`,
  responses: `  if (event.type === 'response.output_text.delta') process.stdout.write(event.delta);`,
  messages: `  if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') {
    process.stdout.write(event.delta.text);
  }`,
};
