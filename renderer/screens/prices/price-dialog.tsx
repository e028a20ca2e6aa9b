import { Alert, Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isSamePrice, type NewPrice, type Price } from '../../../shared/money/price.ts';
import { toServiceId } from '../../../shared/upstream.ts';
import { useCalls } from '../../api/client.ts';
import { toastError, toastSuccess } from '../../hooks/toast.ts';
import {
  AMOUNTS,
  type EditedPrice,
  fillPriceForm,
  type PriceForm,
  type PriceFormErrors,
  readPriceForm,
  toPriceForm,
  unfillPriceForm,
} from './price-form.ts';
import classes from './prices.module.css';

interface PriceDialogProps {
  readonly price: EditedPrice;
  readonly currency: string;
  readonly onClose: () => void;
}

/** Sets the price of a model. One for the same model, service and day is shown before it is replaced. */
export function PriceDialog({ price, currency, onClose }: PriceDialogProps) {
  // One that changes meanwhile is noticed when this one is saved.
  const [first] = useState(price);
  const { form, setForm, fill, unfill } = useForm(first);
  const [errors, setErrors] = useState<PriceFormErrors>({});
  const { present, isSaving, save, forget } = useSaving(first, onClose);
  const { tiers } = present ?? first;
  const submit = async (): Promise<void> => {
    const read = readPriceForm(form, present ?? first);
    setErrors('errors' in read ? read.errors : {});
    const found = 'price' in read ? await save(read.price) : null;
    if (found !== null) fill(found);
  };
  return (
    <Modal
      opened
      size="lg"
      onClose={onClose}
      title={first.model === '' ? 'Add a price' : 'Price of a model'}
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
          <Key
            form={form}
            errors={errors}
            onChange={(changed) => {
              if (isSaving) return;
              forget();
              unfill(changed);
            }}
          />
          <Amounts form={form} errors={errors} onChange={setForm} />
          {present !== null && (
            <Alert title={`${present.model} has a price already`} role="alert">
              What you did not type is filled in from it. Save to change it.
            </Alert>
          )}
          <Meaning currency={currency} tiers={tiers.length} />
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

/** Keeps a form. `fill`: fills what nobody typed from a price; `unfill`: takes that out of a form again, which is kept then. */
function useForm(first: EditedPrice) {
  const [{ form }, setState] = useState<Filling>(() => ({
    form: toPriceForm(first),
    filled: null,
  }));
  return {
    form,
    setForm: (typed: PriceForm) => setState(({ filled }) => ({ form: typed, filled })),
    fill: (present: NewPrice) =>
      setState((state) => {
        const before =
          state.filled === null ? state.form : unfillPriceForm(state.form, state.filled);
        const after = fillPriceForm(before, { initial: toPriceForm(first), present });
        return { form: after, filled: { before, after } };
      }),
    unfill: (typed: PriceForm) =>
      setState(({ filled }) => ({
        form: filled === null ? typed : unfillPriceForm(typed, filled),
        filled: null,
      })),
  };
}

interface Filling {
  readonly form: PriceForm;
  /** The form before it was filled in and after it; `null` when it was not. */
  readonly filled: { readonly before: PriceForm; readonly after: PriceForm } | null;
}

/** Says what the amounts mean. `tiers`: how many prices for many tokens there are. */
function Meaning({ currency, tiers }: { readonly currency: string; readonly tiers: number }) {
  return (
    <Text size="xs" c="dimmed">
      Amounts are in {currency}, those of tokens for a million tokens. An empty amount is not zero:
      tokens read from or written to a cache cost as much as other input, those written for an hour
      as much as others that are written, and those of reasoning as much as other output. Costs of
      earlier requests do not change.
      {tiers > 0 &&
        ` The ${tiers === 1 ? 'price' : `${tiers} prices`} for requests with many input tokens ${tiers === 1 ? 'does' : 'do'} not change.`}
    </Text>
  );
}

/**
 * Saves a price. One that another price would be lost for is not saved at once: `save` resolves with that one, which is `present` then,
 * and the next call replaces it. `forget`: forgets that one, because the price became one of another model, service or day.
 */
function useSaving(first: EditedPrice, onSaved: () => void) {
  const [present, setPresent] = useState<Price | null>(null);
  const { mutateAsync, isPending } = useMutation(
    useCalls().prices.set.mutationOptions({
      onError: (error) => toastError('Could not save the price.', error),
    }),
  );
  const save = async (price: NewPrice): Promise<Price | null> => {
    const known = present ?? first;
    const replaces = isSamePrice(known, price) ? (known.id ?? null) : null;
    const other = await mutateAsync({ price, replaces }).catch(() => undefined);
    if (other === undefined) return null;
    if (other === null) {
      toastSuccess('Saved.');
      onSaved();
    }
    setPresent(other);
    return other;
  };
  return { present, isSaving: isPending, save, forget: () => setPresent(null) };
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
