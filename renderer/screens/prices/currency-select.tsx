import { Button, Group, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Currency } from '../../../shared/money/cost.ts';
import { useCalls } from '../../api/client.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Panel } from '../../components/panel.tsx';
import { toastError, toastSuccess } from '../../hooks/toast.ts';

/** Changes the currency, after it has said that nothing is converted. */
export function CurrencySelect({ currency }: { readonly currency: string }) {
  const [text, setText] = useState<string | null>(null);
  const [wanted, setWanted] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  const change = useMutation(
    useCalls().settings.change.mutationOptions({
      onSuccess: () => {
        setWanted(null);
        setText(null);
        toastSuccess('Saved.');
      },
      onError: (failure) => toastError('Could not change the currency.', failure),
    }),
  );
  const ask = (): void => {
    const code = Currency.safeParse(text ?? '');
    setError(code.success ? null : (code.error.issues[0]?.message ?? null));
    if (code.success) setWanted(code.data);
  };
  return (
    <Panel title="Currency">
      <Group gap="xs">
        <TextInput
          w={110}
          aria-label="Currency"
          maxLength={3}
          value={text ?? currency}
          error={error}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        {text !== null && text.toUpperCase() !== currency && (
          <Button variant="default" onClick={ask}>
            Change…
          </Button>
        )}
        <Text size="sm" c="dimmed" flex="1 1 240px">
          That of all prices, costs and limits. Choose it before you enter prices: amounts are never
          converted.
        </Text>
      </Group>
      <ConfirmDialog
        opened={wanted !== null}
        onClose={() => setWanted(null)}
        title={`Name all amounts in ${wanted ?? ''}?`}
        action="Change the currency"
        harmless
        busy={change.isPending}
        onConfirm={() => wanted !== null && change.mutate({ currency: wanted })}
      >
        Prices, costs and limits keep their numbers and are only named differently: 3.00 {currency}{' '}
        becomes 3.00 {wanted}.
      </ConfirmDialog>
    </Panel>
  );
}
