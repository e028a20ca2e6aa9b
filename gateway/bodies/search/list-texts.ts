import type { AssembledResponse } from '../../../shared/parse-bodies/assemble-response.ts';
import type { Part } from '../../../shared/parse-bodies/parts.ts';
import type { OutlineItem, RequestOutline } from '../runs/outline-request.ts';

interface TextSource {
  readonly request: RequestOutline;
  readonly response: AssembledResponse | null;
  /** Number of messages at the start that are not new. */
  readonly from: number;
  /** Whether the system texts are new. */
  readonly isSystemNew: boolean;
}

/** Lists the texts that a request and its response add to those before them in their run. */
export function listNewTexts({ request, response, from, isSystemNew }: TextSource): string[] {
  const messages = [...request.messages, ...request.tail].slice(from);
  const items: readonly OutlineItem[] = isSystemNew ? [...request.system, ...messages] : messages;
  const parts = [...items.flatMap((item) => item.parts), ...(response?.parts ?? [])];
  return [...parts.flatMap(readTexts), ...(response?.error ? [response.error] : [])];
}

function readTexts(part: Part): string[] {
  switch (part.kind) {
    case 'text':
    case 'reasoning':
      return [part.text];
    case 'call':
      return [part.name, part.input];
    case 'result':
      return part.parts.flatMap(readTexts);
    case 'image':
    case 'other':
      return [];
  }
}
