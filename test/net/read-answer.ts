import { parseAnswer, type RawAnswer } from './raw-http.ts';
import type { RawConnection } from './raw-connection.ts';

/** Reads one complete response from a connection that may stay open, framed by length or in chunks. */
export async function readWholeAnswer(wire: RawConnection): Promise<RawAnswer> {
  const head = await wire.head();
  const length = /^content-length: *(\d+)/im.exec(head)?.[1];
  const rest = length === undefined ? wire.until('\r\n0\r\n\r\n') : wire.take(Number(length));
  return parseAnswer(head + (await rest));
}
