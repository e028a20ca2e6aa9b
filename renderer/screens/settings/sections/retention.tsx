import { Button, Group, NumberInput, Text } from '@mantine/core';
import { schemaResolver, useForm, type UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Settings } from '../../../../shared/settings.ts';
import { useCalls } from '../../../api/client.ts';
import { formatBytes, pluralize, formatCount } from '../../../../shared/format.ts';
import { errorField, toMessage } from '../../../format/errors.ts';
import { toastSuccess, toastError } from '../../../hooks/toast.ts';
import { Row } from '../setting-row.tsx';
import { useSettingsChange } from '../use-settings-change.ts';

const RetentionForm = Settings.pick({
  keepDays: true,
  keepHeadersDays: true,
  keepBodiesDays: true,
  bodiesMiB: true,
  mostMiB: true,
});
type RetentionForm = Pick<
  Settings,
  'keepDays' | 'keepHeadersDays' | 'keepBodiesDays' | 'bodiesMiB' | 'mostMiB'
>;

/** Shorter times that are named. */
const MAX_CHOICES = 3;

/** Edits how long exchanges, their headers and their bodies are stored, and how many. */
export function Retention({ limits }: { readonly limits: RetentionForm }) {
  const change = useSettingsChange();
  const { keepDays, keepHeadersDays, keepBodiesDays, bodiesMiB, mostMiB } = limits;
  const form = useForm<RetentionForm>({
    initialValues: limits,
    validate: schemaResolver(RetentionForm, { sync: true }),
  });
  const { setInitialValues, setValues } = form;
  useEffect(() => {
    const stored = { keepDays, keepHeadersDays, keepBodiesDays, bodiesMiB, mostMiB };
    setInitialValues(stored);
    setValues(stored);
  }, [keepDays, keepHeadersDays, keepBodiesDays, bodiesMiB, mostMiB, setInitialValues, setValues]);
  const save = form.onSubmit((values) => {
    change.mutate(values, {
      onSuccess: () => toastSuccess('Saved.'),
      onError: (error) => {
        const field = errorField(error);
        if (field === null) toastError('Could not save the history settings.', error);
        else form.setFieldError(field, toMessage(error));
      },
    });
  });
  return (
    <form onSubmit={save} noValidate>
      <Row
        label="Keep exchanges"
        about="Older ones are deleted automatically, except for pinned ones. Chat keeps its own conversations, in chat.db."
      >
        <DaysInput {...form.getInputProps('keepDays')} aria-label="Days to keep exchanges" />
      </Row>
      <Row label="Keep headers" about="For troubleshooting, with credentials masked. 0 keeps none.">
        <DaysInput {...form.getInputProps('keepHeadersDays')} aria-label="Days to keep headers" />
      </Row>
      <SizeInput {...form.getInputProps('mostMiB')} />
      <BodiesInputs form={form} />
      {form.isDirty() && (
        <Group justify="flex-end" gap="xs" pb="md">
          <Text size="sm" flex={1} role="status">
            {describeDeletion(form.getValues(), limits)}
          </Text>
          <Button variant="default" onClick={form.reset}>
            Undo
          </Button>
          <Button type="submit" loading={change.isPending}>
            Save
          </Button>
        </Group>
      )}
    </form>
  );
}

function BodiesInputs({ form }: { readonly form: UseFormReturnType<RetentionForm> }) {
  const freed = useFreed(form.getInputProps('keepBodiesDays').value);
  return (
    <>
      <Row
        label="Keep requests and responses"
        about={`To see what an agent sent and got, also prompts and answers. Keys are masked. 0 keeps none. ${freed}`}
      >
        <DaysInput
          {...form.getInputProps('keepBodiesDays')}
          aria-label="Days to keep requests and responses"
        />
      </Row>
      <Row
        label="Requests and responses at most"
        about="The oldest are deleted when they take more space on the disk, pinned ones last."
      >
        <SizeField
          {...form.getInputProps('bodiesMiB')}
          aria-label="Maximum size of requests and responses in MiB"
        />
      </Row>
    </>
  );
}

/** Says what fewer days would free; empty when it is nothing, or unknown. */
function useFreed(kept: unknown): string {
  const { data } = useQuery(useCalls().history.bodiesSize.queryOptions({ staleTime: 0 }));
  const [first, ...others] = (data?.freed ?? [])
    .filter(({ days }) => isLowerThan(days, Number(kept)))
    .slice(0, MAX_CHOICES)
    .map(({ days, bytes }) => ({ days: pluralize(days, 'day'), size: formatBytes(bytes) }));
  if (first === undefined) return '';
  const rest = others.map(({ days, size }) => `, ${days} ${size}`).join('');
  return `Keeping ${first.days} would free about ${first.size}${rest}.`;
}

function SizeInput(props: Parameters<typeof NumberInput>[0]) {
  const size = useDatabaseSize();
  return (
    <Row
      label="Keep at most"
      about={`The oldest exchanges are deleted when the database is larger, pinned ones last. ${size}`}
    >
      <SizeField {...props} aria-label="Maximum size of the database in MiB" />
    </Row>
  );
}

function SizeField(props: Parameters<typeof NumberInput>[0]) {
  return <NumberInput {...props} suffix=" MiB" allowDecimal={false} allowNegative={false} />;
}

/** Describes the current size of the database; empty while it is unknown. */
function useDatabaseSize(): string {
  const calls = useCalls();
  const { data } = useQuery(calls.settings.data.queryOptions({ staleTime: 0 }));
  const bytes = data?.files.find(({ name }) => name === 'gatehouse.db')?.bytes;
  return bytes === undefined ? '' : `It is now ${formatBytes(bytes)}.`;
}

function DaysInput(props: Parameters<typeof NumberInput>[0]) {
  return (
    <NumberInput {...props} suffix=" days" allowDecimal={false} allowNegative={false} max={3650} />
  );
}

/** Whether a field has a smaller number than before; an emptied field has none. */
function isLowerThan(value: unknown, than: number): boolean {
  return typeof value === 'number' && value < than;
}

/** Describes what saving would delete; empty when it deletes nothing. */
function describeDeletion(values: RetentionForm, before: RetentionForm): string {
  const { keepDays, keepBodiesDays, bodiesMiB, mostMiB } = values;
  const isLower = (name: keyof RetentionForm) => isLowerThan(values[name], before[name]);
  const deleted = [
    ...(isLower('keepDays') && keepDays > 0
      ? [`Exchanges older than ${pluralize(keepDays, 'day')}`]
      : []),
    ...(isLower('keepBodiesDays')
      ? [
          keepBodiesDays > 0
            ? `Requests and responses older than ${pluralize(keepBodiesDays, 'day')}`
            : 'All stored requests and responses, of pinned exchanges too,',
        ]
      : []),
    ...(isLower('bodiesMiB') && bodiesMiB > 0
      ? [`The oldest requests and responses beyond ${formatCount(bodiesMiB)} MiB`]
      : []),
    ...(isLower('mostMiB') && mostMiB > 0
      ? [`The oldest exchanges beyond ${formatCount(mostMiB)} MiB`]
      : []),
  ];
  return deleted.map((what) => `${what} are deleted when you save.`).join(' ');
}
