import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { EffectiveSettings } from '../../../../shared/settings.ts';
import { useCalls } from '../../../api/client.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { pluralize } from '../../../../shared/format.ts';
import { Panel } from '../../../components/panel.tsx';
import { toastSuccess, toastError } from '../../../hooks/toast.ts';
import { Retention } from './retention.tsx';
import { StoredBodies } from './stored-bodies.tsx';
import { Row, Rows } from '../setting-row.tsx';

/** The settings of the history: retention and deletion. */
export function HistorySection({
  effectiveSettings,
}: {
  readonly effectiveSettings: EffectiveSettings;
}) {
  const { keepDays, keepHeadersDays, keepBodiesDays, bodiesMiB, mostMiB } =
    effectiveSettings.settings;
  return (
    <Panel title="History">
      <Rows>
        <Retention limits={{ keepDays, keepHeadersDays, keepBodiesDays, bodiesMiB, mostMiB }} />
        <StoredBodies />
        <PricesRow />
        <DeleteHistory />
      </Rows>
    </Panel>
  );
}

function PricesRow() {
  return (
    <Row label="Prices" about="What models cost, by which costs are computed." small>
      <Button
        renderRoot={(props: object) => <Link to="/prices" search={{}} {...props} />}
        variant="default"
      >
        Prices…
      </Button>
    </Row>
  );
}

function DeleteHistory() {
  const calls = useCalls();
  const queries = useQueryClient();
  const [asking, question] = useDisclosure(false);
  const { data, refetch } = useQuery(calls.settings.data.queryOptions());
  const erase = useMutation(
    calls.history.erase.mutationOptions({
      onSuccess: (erased) => {
        question.close();
        toastSuccess(`${pluralize(erased, 'exchange')} deleted.`);
        void queries.invalidateQueries();
      },
      onError: (error) => toastError('Could not erase the history.', error),
    }),
  );
  const many = data === undefined ? 'all exchanges' : pluralize(data.exchanges, 'exchange');
  return (
    <Row
      label="Erase the history"
      about="Deletes every exchange, pinned ones too, and the totals of models and clients. Clients, keys and settings stay."
      small
    >
      <Button
        color="red"
        variant="light"
        onClick={() => {
          // The confirmation names a number, and new exchanges have arrived since.
          void refetch();
          question.open();
        }}
      >
        Erase…
      </Button>
      <ConfirmDialog
        opened={asking}
        onClose={question.close}
        title="Erase the whole history?"
        action={`Delete ${many}`}
        busy={erase.isPending}
        onConfirm={() => erase.mutate(undefined)}
      >
        This deletes {many} with requests, responses, headers, tokens and times, pinned ones with
        their notes and tags, too. This cannot be undone. Export the history first if you may need
        it.
      </ConfirmDialog>
    </Row>
  );
}
