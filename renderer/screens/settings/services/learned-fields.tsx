import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { Upstream } from '../../../../shared/upstream.ts';
import type { FieldMap } from '../../../../shared/video/video.ts';
import { useCalls } from '../../../api/client.ts';
import { pluralize } from '../../../../shared/format.ts';
import { toMessage } from '../../../format/errors.ts';
import { FieldsDialog } from './fields-dialog.tsx';
import { Row } from '../setting-row.tsx';

/** Lists the learned field maps of the services, whose response formats are not documented. */
export function LearnedFields() {
  const { data: upstreams = [] } = useQuery(useCalls().upstreams.list.queryOptions());
  return (
    <>
      {upstreams.map((upstream) => (
        <ServiceFields key={upstream.id} upstream={upstream} />
      ))}
    </>
  );
}

function ServiceFields({ upstream: { id, name } }: { readonly upstream: Upstream }) {
  const { data, error } = useQuery(useCalls().videos.fields.get.queryOptions({ input: { id } }));
  const [editing, dialog] = useDisclosure(false);
  return (
    <Row
      small
      label={`Answers of ${name}`}
      about={
        data !== undefined ? (
          <KnownFields map={data} />
        ) : error === null ? (
          <Skeleton h={18} w={220} />
        ) : (
          toMessage(error)
        )
      }
    >
      <Group justify="flex-end">
        <Button
          size="xs"
          variant="default"
          disabled={data === undefined}
          onClick={dialog.open}
          aria-label={`Fields of ${name}`}
        >
          Fields…
        </Button>
      </Group>
      {data !== undefined && editing && (
        <FieldsDialog id={id} name={name} map={data} onClose={dialog.close} />
      )}
    </Row>
  );
}

const NAMES = {
  fileUrl: 'address of a file',
  taskId: 'id of a task',
  reason: 'reason for a failure',
  progress: 'progress',
  cost: 'cost',
} as const;

/** Describes the known fields as text. */
function KnownFields({ map }: { readonly map: FieldMap }) {
  const { words, ...places } = map;
  const known = Object.entries(NAMES).flatMap(([field, label]) => {
    const place = Object.entries(places).find(([name]) => name === field)?.[1] ?? null;
    return place === null ? [] : [`${label} at ${place}`];
  });
  const count = Object.keys(words).length;
  const parts = count === 0 ? known : [...known, pluralize(count, 'status word')];
  if (parts.length === 0) {
    return <>Nothing learned yet. Fields are detected automatically, or you are asked once.</>;
  }
  return (
    <Stack gap={0}>
      {parts.map((part) => (
        <Text key={part} size="sm">
          {part}
        </Text>
      ))}
    </Stack>
  );
}
