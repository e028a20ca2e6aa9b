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
            In {currency}; tokens for a million of them. An empty cache or reasoning price is that
            of input or output. Costs that were computed before stay as they are.
            {price.tiers.length > 0 &&
              ` ${pluralize(price.tiers.length, 'price')} above a number of input tokens stay too.`}
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
        description="Its id; * stands for any characters."
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
          description="One with a price of its own uses that."
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
          description="Earlier requests keep their cost."
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
        label="Second of video"
        placeholder="480p=0.05 *=0.1"
        autoComplete="off"
        value={form.videoSecond}
        error={errors.videoSecond}
        onChange={({ currentTarget }) => onChange({ ...form, videoSecond: currentTarget.value })}
      />
    </div>
  );
}
