import { Button, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconArrowsDiff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ExchangeId, ExchangeRecord } from '../../../../shared/exchange/exchange.ts';
import { useCalls } from '../../../api/client.ts';
import { ChooseExchange } from './choose-exchange.tsx';

/** Compares an exchange with the one before it in its run, or with any other. */
export function CompareMenu({ exchange }: { readonly exchange: ExchangeRecord }) {
  const { id } = exchange;
  const navigate = useNavigate();
  const [isChoosing, choosing] = useDisclosure(false);
  const { data: place, isPending } = useQuery(
    useCalls().history.step.queryOptions({ input: { id } }),
  );
  const before = place?.step.id === id ? (place.before?.id ?? null) : null;
  const compare = (other: ExchangeId): void =>
    void navigate({ to: '/history/compare', search: { left: other, right: id } });
  const button = {
    size: 'compact-sm',
    variant: 'default',
    leftSection: <IconArrowsDiff size={14} aria-hidden />,
    // What it does depends on the request before, which is not known at once.
    disabled: isPending,
  } as const;
  return (
    <>
      {before === null ? (
        <Button {...button} onClick={choosing.open}>
          Compare…
        </Button>
      ) : (
        <Menu position="bottom-start" shadow="md">
          <Menu.Target>
            <Button {...button}>Compare</Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => compare(before)}>With the request before</Menu.Item>
            <Menu.Item onClick={choosing.open}>With another request…</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
      {isChoosing && (
        <ChooseExchange exchange={exchange} onChoose={compare} onClose={choosing.close} />
      )}
    </>
  );
}
