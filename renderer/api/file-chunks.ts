/** Number of bytes that are sent in one call. */
const CHUNK_BYTES = 512 * 1024;

/** A part of a file. */
export interface FileChunk {
  readonly base64: string;
  /** The part of the file up to its end, from 0 to 1. */
  readonly progress: number;
}

/** Reads a file in the chunks in which calls send it. @throws the error of the browser when it cannot be read */
export async function* readFileChunks(file: File): AsyncGenerator<FileChunk, void, void> {
  for (let at = 0; at < file.size; at += CHUNK_BYTES) {
    const base64 = await toBase64(file.slice(at, at + CHUNK_BYTES));
    yield { base64, progress: Math.min(1, (at + CHUNK_BYTES) / file.size) };
  }
}

function toBase64(piece: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => {
      const address = typeof reader.result === 'string' ? reader.result : '';
      resolve(address.slice(address.indexOf(',') + 1));
    });
    reader.addEventListener('error', () =>
      reject(reader.error ?? new Error('Could not read the file.')),
    );
    reader.readAsDataURL(piece);
  });
}
