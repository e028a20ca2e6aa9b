import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ConversationId } from '../../../../shared/chat.ts';
import { useCalls } from '../../../client/client.ts';
import { Confirm } from '../../../parts/confirm.tsx';
import { sayDone, sayFailed } from '../../../parts/said.ts';
import { forgetDraft } from '../composer/kept-drafts.ts';
import { TitleDialog } from './title-dialog.tsx';
import { type ExportFormat, useExport } from './use-export.ts';

interface Acted {
  readonly id: ConversationId;
  readonly title: string;
  /** It was deleted. */
  readonly onGone: () => void;
}

/** What can be done with a conversation from afar. */
export interface ConversationActs {
  readonly rename: () => void;
  readonly save: (format: ExportFormat) => void;
  /** Asks first. */
  readonly remove: () => void;
  /** What is asked before something is done; to be put anywhere on the page. */
  readonly dialogs: ReactNode;
}

/** Renames, exports and deletes a conversation, each after what has to be asked for it. */
export function useConversationActs({ id, title, onGone }: Acted): ConversationActs {
  const calls = useCalls();
  const queries = useQueryClient();
  const [naming, names] = useDisclosure(false);
  const [asking, question] = useDisclosure(false);
  const save = useExport(id, title);
  const remove = useMutation(
    calls.chat.remove.mutationOptions({
      onSuccess: () => {
        forgetDraft(id);
        question.close();
        sayDone('The conversation is deleted.');
        void queries.invalidateQueries({ queryKey: calls.chat.page.key() });
        onGone();
      },
      onError: (error) => sayFailed('The conversation was not deleted.', error),
    }),
  );
  const dialogs = (
    <>
      {naming && <TitleDialog id={id} title={title} onClose={names.close} />}
      <Confirm
        opened={asking}
        onClose={question.close}
        title="Delete this conversation?"
        action="Delete for good"
        busy={remove.isPending}
        onConfirm={() => remove.mutate({ id })}
      >
        “{title}” goes with all its messages, their versions and images. It cannot be undone. The
        history keeps the figures of its requests, which hold no text.
      </Confirm>
    </>
  );
  return { rename: names.open, save, remove: question.open, dialogs };
}
