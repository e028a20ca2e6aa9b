import type { SnippetLanguage, TextProtocol } from '../chat/chat.ts';

/** The environment variable from which programs read their local key, so that it is in no code. */
export const KEY_VARIABLE = 'GATEHOUSE_API_KEY';

/** The names of the languages for people. */
export const LANGUAGE_NAMES: Readonly<Record<SnippetLanguage, string>> = {
  curl: 'curl',
  python: 'Python',
  typescript: 'TypeScript',
};

/** A request to Gatehouse, without its local key. */
export interface CodeRequest {
  /** `null` for a route that is none of a text protocol. */
  readonly protocol: TextProtocol | null;
  readonly method: string;
  /** Scheme, host and port: `http://127.0.0.1:6417`. */
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  /** Headers besides the one of the key. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** `null` for none. */
  readonly body: string | null;
}

/** Returns the header that carries a local key, and the text before the key in it. */
export function findKeyHeader({
  protocol,
}: Pick<CodeRequest, 'protocol'>): readonly [name: string, prefix: string] {
  return protocol === 'messages' ? ['x-api-key', ''] : ['authorization', 'Bearer '];
}
