import { formatBytes } from '../format.ts';
import { formatArguments, formatJson } from '../parse-bodies/json.ts';
import type { Part } from '../parse-bodies/parts.ts';

const IMAGE_END = 12;

/** Formats the parts of a message as one text, in which differences are found. */
export function formatParts(parts: readonly Part[]): string {
  return parts.map(formatPart).join('\n\n');
}

function formatPart(part: Part): string {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'reasoning':
      return `Reasoning:\n${part.text}`;
    case 'call': {
      const call = `Call of ${part.name}:\n${formatArguments(part.input)}`;
      return part.result === null ? call : `${call}\n\n${formatPart(part.result)}`;
    }
    case 'result':
      return `${part.isError ? 'Result, an error' : 'Result'}:\n${formatParts(part.parts)}`;
    case 'image':
      return formatImage(part.source);
    case 'other':
      return formatJson(part.value);
  }
}

/** Names an image. Of one in the request the end tells it from others. */
function formatImage(source: string): string {
  if (!source.startsWith('data:')) return `Image: ${source}`;
  const [type = ''] = source.split(',', 1);
  return `Image: ${type}, ${formatBytes(source.length)}, …${source.slice(-IMAGE_END)}`;
}
