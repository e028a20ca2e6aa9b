import { errorIn, type SaidError } from './heard.ts';
import { fieldsOf, readJson } from './json.ts';

const MOST_ERROR = 64 * 1024;

/** What the body of an error says (spec section 7); `null` when it has another form, is too long, or breaks off. */
export async function readError(body: AsyncIterable<Buffer>): Promise<SaidError | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MOST_ERROR) return null;
    }
  } catch {
    // The status says enough.
    return null;
  }
  return errorIn(fieldsOf(readJson(Buffer.concat(chunks).toString())) ?? {});
}
