import { Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import type { NewPrice } from '../../../shared/money/price.ts';
import { toServiceId } from '../../../shared/upstream.ts';
import { pluralize } from '../../../shared/format.ts';
import { useCalls } from '../../api/client.ts';
import { toastError, toastSuccess } from '../../hooks/toast.ts';
import {
  AMOUNTS,
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
  const save = useMutation(
    useCalls().prices.add.mutationOptions({
      onSuccess: () => {
        toastSuccess('Saved.');
        onClose();
      },
      onError: (error) => toastError('Could not save the price.', error),
    }),
  );
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    const read = readPriceForm(form, price);
    setErrors('errors' in read ? read.errors : {});
    if ('price' in read) save.mutate({ prices: [read.price] });
  };
  return (
    <Modal
      opened
      size="lg"
      onClose={onClose}
      title={price.model === '' ? 'Add a price' : 'Price of a model'}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <Key form={form} errors={errors} onChange={setForm} />
          <Amounts form={form} errors={errors} onChange={setForm} />
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
            <Button type="submit" loading={save.isPending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
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
