import { Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { findLimitId } from '../../../shared/money/describe-limit.ts';
import { useCalls } from '../../api/client.ts';
import { ScreenLink } from '../screen-link.tsx';
import { LimitActions, RaiseLimit, toLimitSearch } from './limit-actions.tsx';

/** Leads to the limit that a refusal names, with the decisions about it; nothing for another text. */
export function RefusingLimit({ refusal }: { readonly refusal: string }) {
  const id = findLimitId(refusal);
  return id === null ? null : <NamedLimit id={id} />;
}

function NamedLimit({ id }: { readonly id: string }) {
  const { data } = useQuery(useCalls().clients.limits.list.queryOptions());
  const [isRaising, { open, close }] = useDisclosure(false);
  if (data === undefined) return null;
  const limit = data.find((one) => one.id === id);
  if (limit === undefined) return <Text size="sm">This limit was removed since.</Text>;
  return (
    <Stack gap={4} mt={8}>
      <Group gap="xs">
        <ScreenLink to="/clients" search={toLimitSearch(limit)} size="sm" underline="always">
          Show this limit
        </ScreenLink>
        <LimitActions limit={limit} isReached onRaise={open} />
      </Group>
      {isRaising && <RaiseLimit limit={limit} onClose={close} />}
    </Stack>
  );
}
