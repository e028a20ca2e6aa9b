import { Button, Group, NumberInput, Text } from '@mantine/core';
import { schemaResolver, useForm } from '@mantine/form';
import { useEffect } from 'react';
import { Settings } from '../../../shared/settings.ts';
import { counted } from '../../parts/figures.ts';
import { fieldOf, sentenceOf } from '../../parts/problem.ts';
import { sayDone, sayFailed } from '../../parts/said.ts';
import { Row } from './row.tsx';
import { useChange } from './use-change.ts';

const RetentionForm = Settings.pick({ keepDays: true, keepHeadersDays: true });
type RetentionForm = Pick<Settings, 'keepDays' | 'keepHeadersDays'>;

/** How long exchanges and their headers are kept. */
export function Retention({ keepDays, keepHeadersDays }: RetentionForm) {
  const change = useChange();
  const form = useForm<RetentionForm>({
    initialValues: { keepDays, keepHeadersDays },
    validate: schemaResolver(RetentionForm, { sync: true }),
  });
  const { setInitialValues, setValues } = form;
  useEffect(() => {
    setInitialValues({ keepDays, keepHeadersDays });
    setValues({ keepDays, keepHeadersDays });
  }, [keepDays, keepHeadersDays, setInitialValues, setValues]);
  const save = form.onSubmit((values) => {
    change.mutate(values, {
      onSuccess: () => sayDone('Saved.'),
      onError: (error) => {
        const field = fieldOf(error);
        if (field === null) sayFailed('The history settings were not saved.', error);
        else form.setFieldError(field, sentenceOf(error));
      },
    });
  });
  return (
    <form onSubmit={save} noValidate>
      <Row
        label="Keep exchanges"
        about="Older ones are deleted by themselves. Prompts and answers are never kept."
      >
        <DaysInput {...form.getInputProps('keepDays')} aria-label="Days to keep exchanges" />
      </Row>
      <Row
        label="Keep headers"
        about="The headers of each exchange, with credentials masked, for finding faults. 0 keeps none."
      >
        <DaysInput {...form.getInputProps('keepHeadersDays')} aria-label="Days to keep headers" />
      </Row>
      {form.isDirty() && (
        <Group justify="flex-end" gap="xs" pb="md">
          <Text size="sm" flex={1} role="status">
            {warningOf(form.getValues(), keepDays)}
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

function DaysInput(props: Parameters<typeof NumberInput>[0]) {
  return (
    <NumberInput {...props} suffix=" days" allowDecimal={false} allowNegative={false} max={3650} />
  );
}

function warningOf({ keepDays }: RetentionForm, before: number): string {
  return typeof keepDays === 'number' && keepDays > 0 && keepDays < before
    ? `Exchanges older than ${counted(keepDays, 'day')} are deleted when you save.`
    : '';
}
