import type { SnippetLanguage, TextProtocol } from '../../../shared/chat.ts';
import { MESSAGES_VERSION } from '../turn/call-proxy.ts';
import { PYTHON, formatLiteral, type LiteralStyle, TYPESCRIPT } from './literal.ts';
import type { TextRequest } from '../turn/build-request.ts';

export interface SnippetOptions {
  readonly protocol: TextProtocol;
  readonly language: SnippetLanguage;
  /** Port of the proxy. */
  readonly port: number;
  /** The `<vendor>` of the version header (spec section 9). */
  readonly vendor: string;
}

/** Same text as on the pages for client setup. */
const KEY_PLACEHOLDER = 'YOUR_LOCAL_KEY';

/** Formats a program that makes this request at the local address; its user replaces the placeholder with a local key. */
export function formatSnippet(request: TextRequest, options: SnippetOptions): string {
  switch (options.language) {
    case 'curl':
      return formatCurl(request, options);
    case 'python':
      return formatPython(request, options);
    case 'typescript':
      return formatTypescript(request, options);
  }
}

/** No line of JSON can equal the delimiter, so texts need no quoting. */
function formatCurl(
  { path, body }: TextRequest,
  { protocol, port, vendor }: SnippetOptions,
): string {
  const key =
    protocol === 'messages'
      ? [`x-api-key: ${KEY_PLACEHOLDER}`, `${vendor}-version: ${MESSAGES_VERSION}`]
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

function formatPython({ body }: TextRequest, { protocol, port }: SnippetOptions): string {
  const { library, client, base } = protocol === 'messages' ? ANTHROPIC : OPENAI;
  const given = formatArguments(body, PYTHON, (name, value) => `    ${name}=${value},\n`);
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

function formatTypescript({ body }: TextRequest, { protocol, port }: SnippetOptions): string {
  const { package: name, client, base } = protocol === 'messages' ? ANTHROPIC : OPENAI;
  const given = formatArguments(body, TYPESCRIPT, (field, value) => `  ${field}: ${value},\n`);
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

/** Fields of a request are plain names in every language. */
function formatArguments(
  body: TextRequest['body'],
  style: LiteralStyle,
  line: (name: string, value: string) => string,
): string {
  return Object.entries(body)
    .map(([name, value]) => line(name, formatLiteral(value, style, 1)))
    .join('');
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
