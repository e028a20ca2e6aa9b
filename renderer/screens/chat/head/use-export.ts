import { useEffect, useRef } from 'react';
import type { ConversationId } from '../../../../shared/chat/chat.ts';
import { type Calls, useCalls } from '../../../api/client.ts';
import { TextFileBuilder, downloadBlob } from '../../../hooks/text-file-builder.ts';
import { toastSuccess, toastError } from '../../../hooks/toast.ts';

export type ExportFormat = 'markdown' | 'json';

const FILES: Readonly<Record<ExportFormat, { readonly media: string; readonly ending: string }>> = {
  markdown: { media: 'text/markdown;charset=utf-8', ending: 'md' },
  json: { media: 'application/json', ending: 'json' },
};

/** Exports a conversation as a file that the browser saves. Unmounting the component aborts it. */
export function useExport(id: ConversationId, title: string): (format: ExportFormat) => void {
  const calls = useCalls();
  const stopping = useRef<AbortController | null>(null);
  useEffect(() => () => stopping.current?.abort(), []);
  const begin = async (format: ExportFormat): Promise<void> => {
    stopping.current?.abort();
    const { signal } = (stopping.current = new AbortController());
    try {
      const file = `${toFileName(title)}.${FILES[format].ending}`;
      downloadBlob(await collect(calls, { id, format, signal }), file);
      toastSuccess(`Exported ${file}`);
    } catch (error) {
      if (!signal.aborted) toastError('Could not export the conversation.', error);
    }
  };
  return (format) => void begin(format);
}

interface ExportOptions {
  readonly id: ConversationId;
  readonly format: ExportFormat;
  readonly signal: AbortSignal;
}

async function collect(calls: Calls, { id, format, signal }: ExportOptions): Promise<Blob> {
  const file = new TextFileBuilder(FILES[format].media);
  for await (const { text } of await calls.chat.export.call({ id, format }, { signal })) {
    file.add(text);
  }
  // An aborted stream may end as if it were complete.
  signal.throwIfAborted();
  return file.blob();
}

/** Converts a title to a file name that is valid on every file system. */
function toFileName(title: string): string {
  const stem = title
    .replaceAll(/[\p{C}\\/:*?"<>|]+/gu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .trim()
    .slice(0, 80)
    .replaceAll(/^[. ]+|[. ]+$/gu, '');
  return stem === '' ? 'Conversation' : stem;
}
