import type { Harness } from '../../../kit/gateway/harness.ts';
import { composeRequest, type RawAnswer } from '../../../kit/net/raw-http.ts';
import { type Mistake, TEXT_BODY, USUAL_LINES } from './mistake.ts';

/** The request of a mistake. */
export type Request = Pick<Mistake, 'requestLine' | 'credential' | 'lines' | 'body'>;

/** A request with its placeholders filled in. */
export interface Sent {
  readonly bytes: Buffer;
  readonly target: string;
  readonly body: string | Buffer | undefined;
  /** Replaces the placeholders in another text. */
  readonly fillIn: (text: string) => string;
}

/** Creates the bytes of a mistake's request. */
export async function fillRequest(mistake: Request, harness: Harness): Promise<Sent> {
  const { localKey, sandbox, port } = harness;
  const values: readonly (readonly [name: string, value: string])[] = [
    ['{key}', localKey],
    ['{service}', sandbox.key],
    ['{basic}', Buffer.from(`user:${localKey}`).toString('base64')],
    ['{file}', mistake.body?.includes('{file}') === true ? await upload(harness) : ''],
  ];
  const fillIn = (text: string): string =>
    values.reduce((filled, [name, value]) => filled.replaceAll(name, value), text);
  const ask = fillIn(mistake.requestLine);
  const credential = mistake.credential ?? ['Authorization: Bearer {key}'];
  const lines = [...credential, ...(mistake.lines ?? USUAL_LINES)].map(fillIn);
  const given = mistake.body ?? TEXT_BODY;
  const filled = typeof given === 'string' ? fillIn(given) : given;
  const body = ask.startsWith('GET') ? undefined : filled;
  const target = ask.slice(ask.indexOf(' ') + 1);
  return { bytes: composeRequest({ ask, port, lines, body }), target, body, fillIn };
}

async function upload({ sandbox }: Harness): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob(['picture']), 'cat.png');
  const headers = { authorization: `Bearer ${sandbox.key}` };
  const answer = await fetch(`${sandbox.url}/v1/files`, { method: 'POST', headers, body: form });
  const { file_url: address }: { file_url?: unknown } = await answer.json();
  return String(address);
}

/** Returns the codes in `x-gatehouse-repairs`. */
export function repairCodes({ headers }: RawAnswer): string[] {
  return headers.get('x-gatehouse-repairs')?.split(', ') ?? [];
}
