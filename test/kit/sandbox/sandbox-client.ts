import { openSandbox, type Sandbox, type SandboxOptions } from '../../../sandbox/server.ts';

/** A sandbox, and a client with its key that sends correct requests by default. */
export interface SandboxClient extends AsyncDisposable {
  readonly sandbox: Sandbox;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  post(path: string, body: object, headers?: Record<string, string>): Promise<Response>;
  /** Uploads a small image and returns its URL from the default field. */
  upload(): Promise<string>;
}

export async function openSandboxClient(options: SandboxOptions = {}): Promise<SandboxClient> {
  const sandbox = await openSandbox(options);
  const authorization = `Bearer ${sandbox.key}`;
  const caller: SandboxClient = {
    sandbox,
    get: (path, headers = {}) =>
      fetch(sandbox.url + path, { headers: { authorization, ...headers }, redirect: 'manual' }),
    post: (path, body, headers = {}) =>
      fetch(sandbox.url + path, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    upload: async () => {
      const answer = await fetch(`${sandbox.url}/v1/files`, {
        method: 'POST',
        headers: { authorization },
        body: imageForm(),
      });
      return requireText(await readJson(answer), 'file_url');
    },
    [Symbol.asyncDispose]: () => sandbox.close(),
  };
  return caller;
}

function imageForm(): FormData {
  const form = new FormData();
  form.append('file', new File(['not really an image'], 'cat.png', { type: 'image/png' }));
  return form;
}

export const QUESTION = { role: 'user', content: 'Why is the sky blue?' };
export const MODEL = 'aurora/aurora-large';

export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns the body of an answer, which must be a JSON object. */
export async function readJson(answer: Response): Promise<JsonObject> {
  const value: unknown = await answer.json();
  if (!isObject(value)) throw new Error('The answer is not a JSON object.');
  return value;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function requireText(value: JsonObject, name: string): string {
  const text = value[name];
  if (typeof text !== 'string') throw new Error(`"${name}" is not a string.`);
  return text;
}

/** Returns the data of every event of a stream, in order, without `[DONE]` and comments. */
export function parseEvents(stream: string): readonly JsonObject[] {
  return stream
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)))
    .filter(isObject);
}
