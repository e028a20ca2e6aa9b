import { parseAnswer, type RawAnswer } from './raw-http.ts';
import type { RawConnection } from './raw-connection.ts';

/** Reads one complete response from a connection that may stay open, framed by length or in chunks. */
export async function readWholeAnswer(connection: RawConnection): Promise<RawAnswer> {
  const head = await connection.head();
  const length = /^content-length: *(\d+)/im.exec(head)?.[1];
  const rest =
    length === undefined ? connection.until('\r\n0\r\n\r\n') : connection.take(Number(length));
  return parseAnswer(head + (await rest));
}
