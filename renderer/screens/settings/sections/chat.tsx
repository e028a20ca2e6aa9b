import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCalls } from '../../../api/client.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { pluralize, formatCount } from '../../../../shared/format.ts';
import { Panel } from '../../../components/panel.tsx';
import { toastSuccess, toastError } from '../../../hooks/toast.ts';
import { deleteDrafts } from '../../../chat/composer/draft-storage.ts';
import { Row, Rows } from '../setting-row.tsx';

/** Maximum number up to which conversations are counted. */
const MAX_COUNTED = 200;

/** Deletes all conversations. */
export function ChatSection() {
  return (
    <Panel title="Chat">
      <Rows>
        <DeleteAll />
      </Rows>
    </Panel>
  );
}

function DeleteAll() {
  const calls = useCalls();
  const queries = useQueryClient();
  const [asking, question] = useDisclosure(false);
  const many = useConversationCount();
  const erase = useMutation(
    calls.chat.erase.mutationOptions({
      onSuccess: (erased) => {
        deleteDrafts();
        question.close();
        toastSuccess(`${pluralize(erased, 'conversation')} deleted.`);
        void queries.invalidateQueries({ queryKey: calls.chat.key() });
      },
      onError: (error) => toastError('Could not delete the conversations.', error),
    }),
  );
  return (
    <Row
      label="Delete all conversations"
      about="Permanently deletes every conversation with its images and unsent messages. History keeps their requests and responses for the days set above."
      small
    >
      <Button color="red" variant="light" onClick={question.open}>
        Delete…
      </Button>
      <ConfirmDialog
        opened={asking}
        onClose={question.close}
        title="Delete all conversations?"
        action={`Delete ${many}`}
        busy={erase.isPending}
        onConfirm={() => erase.mutate(undefined)}
      >
        This deletes {many} with all messages and images. This cannot be undone. Export any that you
        may need first.
      </ConfirmDialog>
    </Row>
  );
}

/** Formats the number of conversations as text. */
function useConversationCount(): string {
  const { data } = useQuery(
    useCalls().chat.page.queryOptions({ input: { find: '', limit: MAX_COUNTED } }),
  );
  if (data === undefined) return 'all conversations';
  return data.next === null
    ? pluralize(data.conversations.length, 'conversation')
    : `more than ${formatCount(MAX_COUNTED)} conversations`;
}
