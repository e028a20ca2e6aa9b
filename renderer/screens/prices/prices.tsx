import { Button, Group, Menu, Stack } from '@mantine/core';
import { IconCalculator, IconDownload, IconPlus, IconUpload } from '@tabler/icons-react';
import { skipToken, useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { isFree } from '../../../shared/money/charge.ts';
import { useCalls } from '../../api/client.ts';
import { Page } from '../../components/page.tsx';
import { downloadBlob } from '../../hooks/text-file-builder.ts';
import { toastError } from '../../hooks/toast.ts';
import { useCurrency } from '../../hooks/use-currency.ts';
import { CurrencySelect } from './currency-select.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { PriceDialog } from './price-dialog.tsx';
import { PriceList } from './price-list.tsx';
import { RecostDialog } from './recost-dialog.tsx';
import { type EditedPrice, toOwnPrice } from './price-form.ts';
import { Unpriced } from './unpriced.tsx';

/** What the screen asks for: a price, a file, or the time since which costs are computed again. */
type Dialog =
  | { readonly kind: 'price'; readonly price: EditedPrice }
  | { readonly kind: 'import' }
  | { readonly kind: 'recost'; readonly whole: boolean };

/** Returns the dialog that the address names; `null` while the present price of its model is not known. */
function useNamedDialog(): Dialog | null {
  const { model = '', service, recost } = useSearch({ from: '/prices' });
  const isNamed = model !== '' && model.length <= MAX_ID;
  const { data: status } = useQuery(useCalls().status.get.queryOptions());
  // A price of one's own never begins with play prices of the sandbox.
  const isPlay = isFree(service ?? status?.upstream.id ?? null);
  const input = { model, service: isPlay ? '' : service };
  const { data: price, isFetchedAfterMount } = useQuery(
    useCalls().prices.find.queryOptions({
      input: isNamed && status !== undefined ? input : skipToken,
      staleTime: 0,
    }),
  );
  if (recost === true) return { kind: 'recost', whole: true };
  if (!isNamed || price === undefined || !isFetchedAfterMount) return null;
  return { kind: 'price', price: toOwnPrice(model, price) };
}

/** The longest id that has a price. */
const MAX_ID = 256;

/** The screen of the prices by which costs are computed: models without one first. */
export function Prices() {
  const currency = useCurrency();
  const named = useNamedDialog();
  const navigate = useNavigate({ from: '/prices' });
  const [later, setDialog] = useState<Dialog | null>(null);
  const dialog = later ?? named;
  const close = (): void => {
    setDialog(null);
    // A reload does not open it again.
    if (named !== null) void navigate({ search: {}, replace: true });
  };
  const edit = (price: EditedPrice) => setDialog({ kind: 'price', price });
  return (
    <Page
      title="Prices"
      about={`What models cost, in ${currency}. A changed price counts from the next request on.`}
      actions={<Actions onOpen={setDialog} />}
    >
      <Stack gap="md">
        <Unpriced onEdit={edit} />
        <PriceList currency={currency} onEdit={edit} />
        <CurrencySelect currency={currency} />
      </Stack>
      {dialog?.kind === 'price' && (
        <PriceDialog price={dialog.price} currency={currency} onClose={close} />
      )}
      {dialog?.kind === 'import' && <ImportDialog currency={currency} onClose={close} />}
      {dialog?.kind === 'recost' && (
        <RecostDialog currency={currency} whole={dialog.whole} onClose={close} />
      )}
    </Page>
  );
}

function Actions({ onOpen }: { readonly onOpen: (dialog: Dialog) => void }) {
  return (
    <Group gap="xs">
      <Button
        size="xs"
        leftSection={<IconPlus size={15} />}
        onClick={() => onOpen({ kind: 'price', price: toOwnPrice('', null) })}
      >
        Add a price
      </Button>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconUpload size={15} />}
        onClick={() => onOpen({ kind: 'import' })}
      >
        Import…
      </Button>
      <ExportMenu />
      <Button
        size="xs"
        variant="default"
        leftSection={<IconCalculator size={15} />}
        onClick={() => onOpen({ kind: 'recost', whole: false })}
      >
        Earlier costs…
      </Button>
    </Group>
  );
}

function ExportMenu() {
  const calls = useCalls();
  const write = useMutation(
    calls.prices.export.mutationOptions({
      onSuccess: (text, { format }) => downloadBlob(new Blob([text]), `gatehouse-prices.${format}`),
      onError: (error) => toastError('Could not export the prices.', error),
    }),
  );
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconDownload size={15} />}
          loading={write.isPending}
        >
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => write.mutate({ format: 'csv' })}>As CSV</Menu.Item>
        <Menu.Item onClick={() => write.mutate({ format: 'json' })}>As JSON</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
