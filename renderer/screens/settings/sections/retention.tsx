import { Button, Group, NumberInput, Text } from '@mantine/core';
import { schemaResolver, useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Settings } from '../../../../shared/settings.ts';
import { useCalls } from '../../../api/client.ts';
import { formatBytes, pluralize, formatCount } from '../../../../shared/format.ts';
import { errorField, toMessage } from '../../../format/errors.ts';
import { toastSuccess, toastError } from '../../../hooks/toast.ts';
import { Row } from '../setting-row.tsx';
import { useSettingsChange } from '../use-settings-change.ts';

const RetentionForm = Settings.pick({ keepDays: true, keepHeadersDays: true, mostMiB: true });
type RetentionForm = Pick<Settings, 'keepDays' | 'keepHeadersDays' | 'mostMiB'>;

/** Edits how long exchanges and their headers are stored, and how many. */
export function Retention({ keepDays, keepHeadersDays, mostMiB }: RetentionForm) {
  const change = useSettingsChange();
  const form = useForm<RetentionForm>({
    initialValues: { keepDays, keepHeadersDays, mostMiB },
    validate: schemaResolver(RetentionForm, { sync: true }),
  });
  const { setInitialValues, setValues } = form;
  useEffect(() => {
    setInitialValues({ keepDays, keepHeadersDays, mostMiB });
    setValues({ keepDays, keepHeadersDays, mostMiB });
  }, [keepDays, keepHeadersDays, mostMiB, setInitialValues, setValues]);
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
        about="Older ones are deleted automatically. The history keeps no prompts and no answers; Chat keeps its own conversations, in chat.db."
      >
        <DaysInput {...form.getInputProps('keepDays')} aria-label="Days to keep exchanges" />
      </Row>
      <Row label="Keep headers" about="For troubleshooting, with credentials masked. 0 keeps none.">
        <DaysInput {...form.getInputProps('keepHeadersDays')} aria-label="Days to keep headers" />
      </Row>
      <SizeInput {...form.getInputProps('mostMiB')} />
      {form.isDirty() && (
        <Group justify="flex-end" gap="xs" pb="md">
          <Text size="sm" flex={1} role="status">
            {describeDeletion(form.getValues(), { keepDays, mostMiB })}
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

function SizeInput(props: Parameters<typeof NumberInput>[0]) {
  const size = useDatabaseSize();
  return (
    <Row
      label="Keep at most"
      about={`The oldest exchanges are deleted when the database is larger. ${size}`}
    >
      <NumberInput
        {...props}
        aria-label="Maximum size of the database in MiB"
        suffix=" MiB"
        allowDecimal={false}
        allowNegative={false}
      />
    </Row>
  );
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

type Bounds = Pick<RetentionForm, 'keepDays' | 'mostMiB'>;

/** Whether a field has a smaller number than before; an emptied field has none. */
function isLowerThan(value: unknown, than: number): boolean {
  return typeof value === 'number' && value > 0 && value < than;
}

/** Describes what saving would delete; empty when it deletes nothing. */
function describeDeletion({ keepDays, mostMiB }: Bounds, before: Bounds): string {
  const age = isLowerThan(keepDays, before.keepDays)
    ? [`Exchanges older than ${pluralize(keepDays, 'day')} are deleted when you save.`]
    : [];
  const size = isLowerThan(mostMiB, before.mostMiB)
    ? [`The oldest exchanges beyond ${formatCount(mostMiB)} MiB are deleted when you save.`]
    : [];
  return [...age, ...size].join(' ');
}
