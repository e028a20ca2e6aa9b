import type { ReadStream } from 'node:fs';

/**
 * Streams the bytes of a file to a page at the speed of the page. The file is closed at its end, when it fails, and when the page
 * cancels at any moment; nothing is reported after that, because `Readable.toWeb` may throw then where the error cannot be caught
 * (nodejs/node#64529). `length`: number of bytes promised; a file that became shorter meanwhile fails.
 */
export function streamFile(file: ReadStream, length: number): ReadableStream<Uint8Array> {
  let remaining = length;
  let isOver = false;
  const finish = (notify: () => void): void => {
    if (!isOver) notify();
    isOver = true;
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      // Nothing is read before it is pulled.
      file.pause();
      file.on('data', (chunk) => {
        if (isOver) return;
        remaining -= chunk.length;
        controller.enqueue(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
        if ((controller.desiredSize ?? 0) <= 0) file.pause();
      });
      file.on('error', (error) => finish(() => controller.error(error)));
      file.on('end', () =>
        finish(() => {
          if (remaining === 0) controller.close();
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
