import { Alert, Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { NewPrice } from '../../../shared/money/price.ts';
import { toServiceId } from '../../../shared/upstream.ts';
import { pluralize } from '../../../shared/format.ts';
import { useCalls } from '../../api/client.ts';
import { toastError, toastSuccess } from '../../hooks/toast.ts';
import {
  AMOUNTS,
  fillPriceForm,
  isSamePrice,
  type PriceForm,
  type PriceFormErrors,
  readPriceForm,
  toPriceForm,
} from './price-form.ts';
import classes from './prices.module.css';

interface PriceDialogProps {
  readonly price: NewPrice;
  readonly currency: string;
  readonly onClose: () => void;
}

/** Sets the price of a model. One for the same model, service and day is replaced. */
export function PriceDialog({ price, currency, onClose }: PriceDialogProps) {
  const [form, setForm] = useState(() => toPriceForm(price));
  const [errors, setErrors] = useState<PriceFormErrors>({});
  const { present, isSaving, save } = useSaving(price, onClose);
  const submit = async (): Promise<void> => {
    const read = readPriceForm(form, present ?? price);
    setErrors('errors' in read ? read.errors : {});
    const found = 'price' in read ? await save(read.price) : null;
    if (found !== null) setForm(fillPriceForm(form, found));
  };
  return (
    <Modal
      opened
      size="lg"
      onClose={onClose}
      title={price.model === '' ? 'Add a price' : 'Price of a model'}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Stack gap="sm">
          <Key form={form} errors={errors} onChange={setForm} />
          <Amounts form={form} errors={errors} onChange={setForm} />
          {present !== null && (
            <Alert title={`${present.model} has a price already`} role="alert">
              What you left empty is filled in from it. Save to change it.
            </Alert>
          )}
          <Text size="xs" c="dimmed">
            Amounts are in {currency}, those of tokens for a million tokens. An empty amount is not
            zero: tokens read from or written to a cache cost as much as other input, those written
            for an hour as much as others that are written, and those of reasoning as much as other
            output. Costs of earlier requests do not change.
            {price.tiers.length > 0 &&
              ` The ${pluralize(price.tiers.length, 'price')} for requests with many input tokens ${price.tiers.length === 1 ? 'does' : 'do'} not change.`}
          </Text>
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isSaving}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/**
 * Saves a price. One that another price would be lost for is not saved at once: `save` resolves with that one, which is `present` then,
 * and the next call replaces it.
 */
function useSaving(first: NewPrice, onSaved: () => void) {
  const { prices } = useCalls();
  const queries = useQueryClient();
  const [present, setPresent] = useState<NewPrice | null>(null);
  const add = useMutation(
    prices.add.mutationOptions({
      onSuccess: () => {
        toastSuccess('Saved.');
        onSaved();
      },
      onError: (error) => toastError('Could not save the price.', error),
    }),
  );
  const find = useMutation({
    mutationFn: async (typed: NewPrice) => {
      const input = { text: typed.model, limit: 1_000 };
      const list = await queries.fetchQuery(prices.list.queryOptions({ input, staleTime: 0 }));
      return list.prices.find((one) => isSamePrice(one, typed)) ?? null;
    },
    onError: (error) => toastError('Could not save the price.', error),
  });
  const save = async (typed: NewPrice): Promise<NewPrice | null> => {
    const isKnown = isSamePrice(present ?? first, typed);
    const found = isKnown ? null : await find.mutateAsync(typed).catch(() => undefined);
    if (found === null) add.mutate({ prices: [typed] });
    else if (found !== undefined) setPresent(found);
    return found ?? null;
  };
  return { present, isSaving: add.isPending || find.isPending, save };
}

interface PartProps {
  readonly form: PriceForm;
  readonly errors: PriceFormErrors;
  readonly onChange: (form: PriceForm) => void;
}

function Key({ form, errors, onChange }: PartProps) {
  const { data } = useQuery(useCalls().upstreams.list.queryOptions());
  const services = (data ?? []).map((upstream) => ({
    value: toServiceId(upstream),
    label: upstream.name,
  }));
  const isKnown = form.service === '' || services.some(({ value }) => value === form.service);
  return (
    <>
      <TextInput
        label="Model"
        description="Its id; * stands for any characters: acme/*."
        data-autofocus
        autoComplete="off"
        spellCheck={false}
        value={form.model}
        error={errors.model}
        onChange={({ currentTarget }) => onChange({ ...form, model: currentTarget.value })}
      />
      <div className={classes['amounts']}>
        <Select
          label="Service"
          description="A price for one precedes a price for all."
          allowDeselect={false}
          value={form.service}
          data={[
            { value: '', label: 'All services' },
            ...services,
            ...(isKnown ? [] : [{ value: form.service, label: form.service }]),
          ]}
          onChange={(service) => onChange({ ...form, service: service ?? '' })}
        />
        <TextInput
          label="Valid from"
          description="Empty for a price that always holds."
          type="date"
          value={form.from}
          error={errors.from}
          onChange={({ currentTarget }) => onChange({ ...form, from: currentTarget.value })}
        />
      </div>
    </>
  );
}

function Amounts({ form, errors, onChange }: PartProps) {
  return (
    <div className={classes['amounts']}>
      {AMOUNTS.map(([name, label]) => (
        <TextInput
          key={name}
          label={label}
          inputMode="decimal"
          autoComplete="off"
          value={form.amounts[name]}
          error={errors[name]}
          onChange={({ currentTarget }) =>
            onChange({ ...form, amounts: { ...form.amounts, [name]: currentTarget.value } })
          }
        />
      ))}
      <TextInput
        label="Each second of video"
        placeholder="480p=0.05 *=0.1"
        autoComplete="off"
        value={form.videoSecond}
        error={errors.videoSecond}
        onChange={({ currentTarget }) => onChange({ ...form, videoSecond: currentTarget.value })}
      />
    </div>
  );
}
