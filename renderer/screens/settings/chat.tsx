import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCalls } from '../../client/client.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { counted, countText } from '../../parts/figures.ts';
import { Panel } from '../../parts/panel.tsx';
import { sayDone, sayFailed } from '../../parts/said.ts';
import { forgetDrafts } from '../chat/composer/kept-drafts.ts';
import { Row, Rows } from './row.tsx';

/** As far as conversations are counted. */
const COUNTED_TO = 200;

/** How to delete every conversation. */
export function ChatSettings() {
  return (
    <Panel title="Chat">
      <Rows>
        <Erase />
      </Rows>
    </Panel>
  );
}

function Erase() {
  const calls = useCalls();
  const queries = useQueryClient();
  const [asking, question] = useDisclosure(false);
  const many = useMany();
  const erase = useMutation(
    calls.chat.erase.mutationOptions({
      onSuccess: (erased) => {
        forgetDrafts();
        question.close();
        sayDone(`${counted(erased, 'conversation')} deleted.`);
        void queries.invalidateQueries({ queryKey: calls.chat.key() });
      },
      onError: (error) => sayFailed('The conversations were not deleted.', error),
    }),
  );
  return (
    <Row
      label="Delete all conversations"
      about="Deletes every conversation for good, with its images and what was not sent yet. The history keeps the figures of their requests, which hold no text."
      small
    >
      <Button color="red" variant="light" onClick={question.open}>
        Delete…
      </Button>
      <Confirm
        opened={asking}
        onClose={question.close}
        title="Delete all conversations?"
        action={`Delete ${many}`}
        busy={erase.isPending}
        onConfirm={() => erase.mutate(undefined)}
      >
        This deletes {many} with all messages and images. It cannot be undone. Export those first
        that you may need.
      </Confirm>
    </Row>
  );
}

/** How many conversations there are, in words. */
function useMany(): string {
  const { data } = useQuery(
    useCalls().chat.page.queryOptions({ input: { find: '', limit: COUNTED_TO } }),
  );
  if (data === undefined) return 'all conversations';
  return data.next === null
    ? counted(data.conversations.length, 'conversation')
    : `more than ${countText(COUNTED_TO)} conversations`;
}
