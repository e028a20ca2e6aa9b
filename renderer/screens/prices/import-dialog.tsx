import { Alert, Button, FileButton, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconFileUpload } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { describePrices } from '../../../shared/money/describe-price.ts';
import { MAX_PRICE_PIECE, type PricePreview } from '../../../shared/money/prices-contract.ts';
import { formatCount, pluralize } from '../../../shared/format.ts';
import { type Calls, useCalls } from '../../api/client.ts';
import { toMessage } from '../../format/errors.ts';
import { toastError, toastSuccess } from '../../hooks/toast.ts';
import classes from './prices.module.css';

const MAX_FILE = 20 * 1024 * 1024;
const DEBOUNCE_MS = 300;

interface ImportDialogProps {
  readonly currency: string;
  readonly onClose: () => void;
}

/** Imports prices from a file, after it has shown what the file has. */
export function ImportDialog({ currency, onClose }: ImportDialogProps) {
  const calls = useCalls();
  const send = useMutation({
    mutationFn: (file: File) => sendFile(calls, file),
    onError: (error) => toastError('Could not read the file.', error),
  });
  return (
    <Modal
      opened
      size="lg"
      onClose={onClose}
      title="Import prices"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap="sm">
        <Text size="sm">
          These files can be read: model_prices_and_context_window.json of LiteLLM, api.json of
          models.dev, or a file that was exported here.
        </Text>
        <Group gap="xs">
          <FileButton
            accept=".json,.csv,application/json,text/csv"
            onChange={(file) => file !== null && send.mutate(file)}
          >
            {(props) => (
              <Button
                {...props}
                variant="default"
                leftSection={<IconFileUpload size={15} />}
                loading={send.isPending}
                data-autofocus
              >
                Choose a file
              </Button>
            )}
          </FileButton>
          <Text size="sm">{send.variables?.name}</Text>
        </Group>
        {send.data === undefined ? (
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
          </Group>
        ) : (
          <Adoption key={send.data} upload={send.data} currency={currency} onClose={onClose} />
        )}
      </Stack>
    </Modal>
  );
}

/** Sends a file in pieces. Resolves with the id of the upload. */
async function sendFile(calls: Calls, file: File): Promise<string> {
  if (file.size > MAX_FILE) throw new Error('The file is larger than 20 MiB.');
  const text = await file.text();
  const { upload } = await calls.prices.import.begin.call();
  for (let at = 0; at < text.length; at += MAX_PRICE_PIECE) {
    await calls.prices.import.append.call({ upload, text: text.slice(at, at + MAX_PRICE_PIECE) });
  }
  return upload;
}

interface AdoptionProps extends ImportDialogProps {
  readonly upload: string;
}

function Adoption({ upload, currency, onClose }: AdoptionProps) {
  const calls = useCalls();
  const [provider, setProvider] = useState('');
  const [wanted] = useDebouncedValue(provider.trim(), DEBOUNCE_MS);
  const input = { upload, provider: wanted === '' ? null : wanted, validFrom: 0 };
  const { data, error, isPlaceholderData } = useQuery({
    // It is not asked for again when prices change: the file is forgotten then.
    queryKey: ['file of prices', input],
    queryFn: () => calls.prices.import.preview.call(input),
    gcTime: 0,
  });
  const adopt = useMutation(
    calls.prices.import.adopt.mutationOptions({
      onSuccess: ({ added }) => {
        toastSuccess(`${pluralize(added, 'price')} imported.`);
        onClose();
      },
      onError: (failure) => toastError('Could not import the prices.', failure),
    }),
  );
  const isReady = data !== undefined && error === null && !isPlaceholderData;
  return (
    <>
      <TextInput
        label="Only of one provider"
        description="As the file names it, such as openai; empty for all of them."
        value={provider}
        onChange={({ currentTarget }) => setProvider(currentTarget.value)}
      />
      {error !== null && (
        <Alert color="red" role="alert">
          {toMessage(error)}
        </Alert>
      )}
      {isReady && <Preview preview={data} currency={currency} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button disabled={!isReady} loading={adopt.isPending} onClick={() => adopt.mutate(input)}>
          Import {isReady ? pluralize(data.count, 'price') : ''}
        </Button>
      </Group>
    </>
  );
}

interface PreviewProps {
  readonly preview: PricePreview;
  readonly currency: string;
}

function Preview({ preview, currency }: PreviewProps) {
  const { count, skipped, replaced, first } = preview;
  return (
    <>
      <Text size="sm" role="status">
        {pluralize(count, 'price')} in the file; {formatCount(replaced)} of them replace a price
        that you have.{' '}
        {skipped > 0 &&
          `${pluralize(skipped, 'model')} in the file ${skipped === 1 ? 'has' : 'have'} no price.`}
      </Text>
      {preview.currency !== null && preview.currency !== currency && (
        <Alert color="yellow">
          The amounts of the file are in {preview.currency}, yours are in {currency}. Nothing is
          converted.
        </Alert>
      )}
      <ul
        className={`${classes['list']} ${classes['preview']}`}
        aria-label="The first prices of the file"
        // A list that scrolls can be reached with the keyboard.
        tabIndex={0}
      >
        {first.map(({ model, service, validFrom, prices }) => (
          <li className={classes['item']} key={`${model} ${service ?? ''} ${validFrom}`}>
            <div className={classes['text']}>
              <div className={classes['model']}>{model}</div>
              <Text size="sm">{describePrices(prices, preview.currency ?? currency)}</Text>
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}
