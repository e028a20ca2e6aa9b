import { useEffect, useRef, useState } from 'react';
import { TextFileBuilder, downloadBlob } from '../../hooks/text-file-builder.ts';
import { toastError, toastSuccess } from '../../hooks/toast.ts';

/** A file whose text arrives in chunks. */
export interface FileSource<Chunk extends { readonly text: string }> {
  readonly name: string;
  /** Its media type. */
  readonly type: string;
  readonly open: (signal: AbortSignal) => Promise<AsyncIterable<Chunk>>;
  /** Is called with each chunk. */
  readonly onChunk?: (chunk: Chunk) => void;
  /** Describes the saved file by its last chunk; `undefined` when it has none. */
  readonly describe: (last: Chunk | undefined) => string;
}

/**
 * Saves files through the browser, one at a time: a further one stops the one before, and so does leaving the page. `failure`: what to
 * say when one cannot be saved.
 */
export function useSavedFile(failure: string): {
  readonly isSaving: boolean;
  readonly save: <Chunk extends { readonly text: string }>(source: FileSource<Chunk>) => void;
  readonly cancel: () => void;
} {
  const [isSaving, setIsSaving] = useState(false);
  const running = useRef<AbortController | null>(null);
  const cancel = (): void => running.current?.abort();
  useEffect(() => () => running.current?.abort(), []);
  const save = async <Chunk extends { readonly text: string }>(
    source: FileSource<Chunk>,
  ): Promise<void> => {
    running.current?.abort();
    const stopping = new AbortController();
    running.current = stopping;
    setIsSaving(true);
    try {
      toastSuccess(await download(source, stopping.signal));
    } catch (error) {
      if (!stopping.signal.aborted) toastError(failure, error);
    } finally {
      if (running.current === stopping) setIsSaving(false);
    }
  };
  return { isSaving, save: (source) => void save(source), cancel };
}

/** Returns the description of the saved file. */
async function download<Chunk extends { readonly text: string }>(
  { name, type, open, onChunk, describe }: FileSource<Chunk>,
  signal: AbortSignal,
): Promise<string> {
  const file = new TextFileBuilder(type);
  let last: Chunk | undefined;
  for await (const chunk of await open(signal)) {
    file.add(chunk.text);
    onChunk?.(chunk);
    last = chunk;
  }
  // An aborted stream may end as if it were complete.
  signal.throwIfAborted();
  downloadBlob(file.blob(), name);
  return describe(last);
}
