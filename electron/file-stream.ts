import type { ReadStream } from 'node:fs';

/**
 * The bytes of a file as a page takes them, no faster than it does. The file is closed at its end, when it fails, and when the page leaves it
 * at any moment, after which nothing more is told: `Readable.toWeb` may throw then, where nobody can catch it (nodejs/node#64529).
 * `length`: how many bytes were promised; a file that was made shorter meanwhile fails.
 */
export function streamFile(file: ReadStream, length: number): ReadableStream<Uint8Array> {
  let left = length;
  let isOver = false;
  const finish = (tell: () => void): void => {
    if (!isOver) tell();
    isOver = true;
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      // Nothing is read before it is asked for.
      file.pause();
      file.on('data', (piece) => {
        if (isOver) return;
        left -= piece.length;
        controller.enqueue(typeof piece === 'string' ? Buffer.from(piece) : piece);
        if ((controller.desiredSize ?? 0) <= 0) file.pause();
      });
      file.on('error', (error) => finish(() => controller.error(error)));
      file.on('end', () =>
        finish(() => {
          if (left === 0) controller.close();
          else controller.error(new Error('The file was made shorter while it was read.'));
        }),
      );
    },
    pull: () => void file.resume(),
    cancel: () => {
      isOver = true;
      file.destroy();
    },
  });
}
