import { parseErrorBody, type ReportedError } from '../protocol/parse-answer.ts';
import { asObject, tryParseJson } from '../../lib/json-object.ts';

const MAX_ERROR = 64 * 1024;

/** Reads the body of an error (spec section 7); `null` when it has another form, is too long, or breaks off. */
export async function readErrorBody(body: AsyncIterable<Buffer>): Promise<ReportedError | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_ERROR) return null;
    }
  } catch {
    // The status is enough.
    return null;
  }
  return parseErrorBody(asObject(tryParseJson(Buffer.concat(chunks).toString())) ?? {});
}
