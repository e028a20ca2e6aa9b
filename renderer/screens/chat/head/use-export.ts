import type { ConversationId } from '../../../../shared/chat/chat.ts';
import { useCalls } from '../../../api/client.ts';
import { useSavedFile } from '../../../components/export/use-saved-file.ts';

export type ExportFormat = 'markdown' | 'json';

const FILES: Readonly<Record<ExportFormat, { readonly media: string; readonly ending: string }>> = {
  markdown: { media: 'text/markdown;charset=utf-8', ending: 'md' },
  json: { media: 'application/json', ending: 'json' },
};

/** Exports a conversation as a file that the browser saves. Unmounting the component aborts it. */
export function useExport(id: ConversationId, title: string): (format: ExportFormat) => void {
  const calls = useCalls();
  const { save } = useSavedFile('Could not export the conversation.');
  return (format) => {
    const { media, ending } = FILES[format];
    const name = `${toFileName(title)}.${ending}`;
    save({
      name,
      type: media,
      open: async (signal) => await calls.chat.export.call({ id, format }, { signal }),
      describe: () => `Exported ${name}`,
    });
  };
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
