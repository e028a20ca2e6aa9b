import { randomId } from '@mantine/hooks';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { StoredImage } from '../../shared/image.ts';
import type { Calls } from '../api/client.ts';
import { readFileChunks } from '../api/file-chunks.ts';
import { toMessage } from '../format/errors.ts';

/** An image that a person picked, during or after its upload to Gatehouse. */
export interface PickedImage {
  readonly key: string;
  readonly name: string;
  readonly bytes: number;
  /** Upload progress from 0 to 1. */
  readonly progress: number;
  /** Object URL of the local file until the image is stored; `null` after a reload. */
  readonly preview: string | null;
  /** Set once Gatehouse has validated and stored the image. */
  readonly image: StoredImage | null;
  /** Why the image was refused. */
  readonly problem: string | null;
}

/** The picked images and the actions on them. */
export interface ImagePicker {
  readonly picked: readonly PickedImage[];
  readonly add: (files: readonly File[]) => void;
  readonly remove: (key: string) => void;
  /** Resolves when no upload is in progress. */
  readonly whenUploaded: () => Promise<readonly PickedImage[]>;
}

/** The contract procedures that upload images. */
type ImageCalls = Pick<Calls['videos']['image'], 'begin' | 'append' | 'finish'>;

/** Uploads picked images to Gatehouse at once, which validates them: so an invalid one is known before anything is sent. */
export function useImages(begin: readonly StoredImage[], calls: ImageCalls): ImagePicker {
  const [picked, setPicked] = useState(() => begin.map(storedImage));
  const latest = useRef<readonly PickedImage[]>(picked);
  const change = useCallback((what: Change) => {
    latest.current = reduceImages(latest.current, what);
    setPicked([...latest.current]);
  }, []);
  const stops = useRef(new Map<string, AbortController>());
  const previews = useRef<string[]>([]);
  // One after the other: the engine limits the number of simultaneous uploads.
  const queue = useRef<Promise<unknown>>(Promise.resolve());
  useEffect(() => {
    const running = stops.current;
    const shown = previews.current;
    return () => {
      for (const stop of running.values()) stop.abort();
      for (const preview of shown) URL.revokeObjectURL(preview);
    };
  }, []);
  const add = useCallback(
    (files: readonly File[]) => {
      for (const file of files) {
        const key = randomId();
        const stop = new AbortController();
        stops.current.set(key, stop);
        const preview = URL.createObjectURL(file);
        previews.current.push(preview);
        change({ add: newImage(key, file, preview) });
        const onProgress = (progress: number) => change({ key, progress });
        queue.current = queue.current
          .then(() => uploadImage(calls, file, { onProgress, signal: stop.signal }))
          .then(
            (image) => change({ key, image, progress: 1 }),
            (error: unknown) => {
              if (!stop.signal.aborted) change({ key, problem: toMessage(error) });
            },
          );
      }
    },
    [calls, change],
  );
  const remove = useCallback(
    (key: string) => {
      stops.current.get(key)?.abort();
      stops.current.delete(key);
      const preview = latest.current.find((one) => one.key === key)?.preview ?? null;
      if (preview !== null) URL.revokeObjectURL(preview);
      change({ remove: key });
    },
    [change],
  );
  const whenUploaded = useCallback(async () => {
    await queue.current;
    return latest.current;
  }, []);
  return { picked, add, remove, whenUploaded };
}

type Change =
  | { readonly add: PickedImage }
  | { readonly remove: string }
  | ({ readonly key: string } & Partial<PickedImage>);

function reduceImages(now: readonly PickedImage[], change: Change): readonly PickedImage[] {
  if ('add' in change) return [...now, change.add];
  if ('remove' in change) return now.filter(({ key }) => key !== change.remove);
  const changed = now.map((one) => (one.key === change.key ? { ...one, ...change } : one));
  // The same image is not added twice.
  const hash = change.image?.hash;
  const isTwice = now.some(({ key, image }) => key !== change.key && image?.hash === hash);
  return hash !== undefined && isTwice ? changed.filter(({ key }) => key !== change.key) : changed;
}

function newImage(key: string, { name, size }: File, preview: string): PickedImage {
  return { key, name, bytes: size, progress: 0, preview, image: null, problem: null };
}

function storedImage(image: StoredImage): PickedImage {
  const { hash, name, bytes } = image;
  return { key: hash, name, bytes, progress: 1, preview: null, image, problem: null };
}

interface UploadOptions {
  readonly onProgress: (progress: number) => void;
  readonly signal: AbortSignal;
}

async function uploadImage(
  calls: ImageCalls,
  file: File,
  { onProgress, signal }: UploadOptions,
): Promise<StoredImage> {
  signal.throwIfAborted();
  const { begin, append, finish } = calls;
  const { upload } = await begin.call({ name: file.name, bytes: file.size }, { signal });
  for await (const { base64, progress } of readFileChunks(file)) {
    await append.call({ upload, base64 }, { signal });
    onProgress(progress);
  }
  return await finish.call({ upload }, { signal });
}
