import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ConversationId } from '../../../../shared/chat/chat.ts';
import { useCalls } from '../../../api/client.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { toastSuccess, toastError } from '../../../hooks/toast.ts';
import { deleteDraft } from '../../../chat/composer/draft-storage.ts';
import { TitleDialog } from './title-dialog.tsx';
import { type ExportFormat, useExport } from './use-export.ts';

interface ActionTarget {
  readonly id: ConversationId;
  readonly title: string;
  /** Called when it was deleted. */
  readonly onGone: () => void;
}

/** The actions on a conversation that need not be open. */
export interface ListActions {
  readonly rename: () => void;
  readonly save: (format: ExportFormat) => void;
  /** Deletes after a confirmation. */
  readonly remove: () => void;
  /** The dialogs of the actions; can be rendered anywhere on the page. */
  readonly dialogs: ReactNode;
}

/** Returns functions that rename, export and delete a conversation, each with its dialog. */
export function useListActions({ id, title, onGone }: ActionTarget): ListActions {
  const calls = useCalls();
  const queries = useQueryClient();
  const [naming, names] = useDisclosure(false);
  const [asking, question] = useDisclosure(false);
  const save = useExport(id, title);
  const remove = useMutation(
    calls.chat.remove.mutationOptions({
      onSuccess: () => {
        deleteDraft(id);
        question.close();
        toastSuccess('Conversation deleted.');
        void queries.invalidateQueries({ queryKey: calls.chat.page.key() });
        onGone();
      },
      onError: (error) => toastError('Could not delete the conversation.', error),
    }),
  );
  const dialogs = (
    <>
      {naming && <TitleDialog id={id} title={title} onClose={names.close} />}
      <ConfirmDialog
        opened={asking}
        onClose={question.close}
        title="Delete this conversation?"
        action="Delete permanently"
        busy={remove.isPending}
        onConfirm={() => remove.mutate({ id })}
      >
        “{title}” will be deleted with all its messages, their versions and images. This cannot be
        undone. History keeps its requests and responses for the days set in Settings.
      </ConfirmDialog>
    </>
  );
  return { rename: names.open, save, remove: question.open, dialogs };
}
