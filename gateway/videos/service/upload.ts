import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { UploadFile } from './types.ts';

/** A multipart form with one part named `file` (spec section 4.5). */
export interface FileForm {
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body: Readable;
  /** Closes the file, also when nothing of it was read. */
  close(): void;
}

/** Opens a file, which is read while it is sent. `boundary` must not occur in it. Rejects when it cannot be opened. */
export async function openFileForm(file: UploadFile, boundary: string): Promise<FileForm> {
  const head = Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${quote(file.name)}"\r\n` +
      `Content-Type: ${file.type}\r\n\r\n`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const handle = await open(file.path, 'r');
  const content = handle.createReadStream();
  return {
    headers: [
      'accept',
      'application/json',
      'content-type',
      `multipart/form-data; boundary=${boundary}`,
      'content-length',
      String(head.length + file.bytes + tail.length),
    ],
    body: Readable.from(iterateForm(head, content, tail)),
    close: () => void content.destroy(),
  };
}

async function* iterateForm(head: Buffer, file: Readable, tail: Buffer): AsyncGenerator {
  yield head;
  yield* file;
  yield tail;
}

/** Escapes a name as browsers do (HTML, multipart form data). */
function quote(name: string): string {
  return name.toWellFormed().replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
}
