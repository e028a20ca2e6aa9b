import { Problem } from '../../../shared/problem.ts';
import { scanJson } from '../repair/body/json-scan.ts';

/** An order has far fewer values (spec section 4.6). */
const MAX_VALUES = 20_000;

/**
 * Decodes an order's JSON body. Its encoding is found by a byte order mark, by the zero bytes of UTF-16 (RFC 4627 section 3), or by the
 * charset of the content type; otherwise it is UTF-8 (RFC 8259 section 8.1). @throws Problem undecodable_body when it is not JSON,
 * body_too_complex when it has too many values
 */
export async function orderText(body: Buffer, contentType: string): Promise<string> {
  const text = decode(body, contentType);
  await scanJson(Buffer.from(text), MAX_VALUES);
  try {
    JSON.parse(text);
  } catch (error) {
    throw undecodableProblem(`its body is not JSON (${describeParseError(error)})`, error);
  }
  return text;
}

function decode(body: Buffer, contentType: string): string {
  const encoding = detectEncoding(body, contentType);
  try {
    return createDecoder(encoding).decode(body);
  } catch (error) {
    throw undecodableProblem(`its body is not valid ${encoding.toUpperCase()}`, error);
  }
}

function detectEncoding(body: Buffer, contentType: string): string {
  const [first, second, third] = body;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if ((first === 0xff && second === 0xfe) || second === 0) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || first === 0) return 'utf-16be';
  return /;\s*charset\s*=\s*"?([\w:.-]+)/iu.exec(contentType)?.[1] ?? 'utf-8';
}

function createDecoder(encoding: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch {
    // The charset is unknown, and JSON is UTF-8.
    return new TextDecoder('utf-8', { fatal: true });
  }
}

/** Returns the parser's message without the excerpt of the body. */
function describeParseError(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  return message.replace(/, (?:\.\.\.)?".*$/su, '');
}

function undecodableProblem(reason: string, cause: unknown): Problem {
  return new Problem(
    'undecodable_body',
    `This video order cannot be read: ${reason}. It was not sent and costs nothing: Gatehouse cannot recognize repeats of an order that it cannot read. Send JSON in UTF-8 – without NaN, Infinity or a comma after the last member – or a multipart form.`,
    { cause },
  );
}
