import { Button, Group, NumberInput, SegmentedControl } from '@mantine/core';
import { schemaResolver, useForm, type UseFormReturnType } from '@mantine/form';
import { useEffect } from 'react';
import { Settings } from '../../../../shared/settings.ts';
import { Panel } from '../../../components/panel.tsx';
import { errorField, toMessage } from '../../../format/errors.ts';
import { toastError, toastSuccess } from '../../../hooks/toast.ts';
import { Row, Rows } from '../setting-row.tsx';
import { useSettingsChange } from '../use-settings-change.ts';

const Form = Settings.pick({
  runawayRepeats: true,
  runawayAgents: true,
  runawayRequests: true,
  runawayMinutes: true,
});
type Form = Pick<
  Settings,
  'runawayRepeats' | 'runawayAgents' | 'runawayRequests' | 'runawayMinutes'
>;

const ACTIONS: { readonly value: Settings['runawayAction']; readonly label: string }[] = [
  { value: 'off', label: 'Nothing' },
  { value: 'ask', label: 'Ask' },
  { value: 'stop', label: 'Stop it' },
];

/** The settings about agents that run away. */
export function RunawaySection({ settings }: { readonly settings: Settings }) {
  const change = useSettingsChange();
  const setAction = (runawayAction: Settings['runawayAction']) =>
    change.mutate(
      { runawayAction },
      { onError: (error) => toastError('Could not save the change.', error) },
    );
  const { runawayAction, runawayRepeats, runawayAgents, runawayRequests, runawayMinutes } =
    settings;
  return (
    <Panel title="Agents that run away">
      <Rows>
        <Row
          label="When an agent runs away"
          about="Ask shows it on Home and lets it go on. Stop it refuses further requests of its client until you let it go on. It is noticed only for clients whose requests and responses are kept."
        >
          <SegmentedControl
            fullWidth
            size="sm"
            withItemsBorders={false}
            bg="var(--gate-surface)"
            bd="1px solid var(--gate-line)"
            aria-label="When an agent runs away"
            data={ACTIONS}
            value={runawayAction}
            onChange={setAction}
          />
        </Row>
        {runawayAction !== 'off' && (
          <Thresholds stored={{ runawayRepeats, runawayAgents, runawayRequests, runawayMinutes }} />
        )}
      </Rows>
    </Panel>
  );
}

/** Edits when an agent counts as one that runs away. */
function Thresholds({ stored }: { readonly stored: Form }) {
  const change = useSettingsChange();
  const { runawayRepeats, runawayAgents, runawayRequests, runawayMinutes } = stored;
  const form = useForm<Form>({
    initialValues: stored,
    validate: schemaResolver(Form, { sync: true }),
  });
  const { setInitialValues, setValues } = form;
  useEffect(() => {
    const values = { runawayRepeats, runawayAgents, runawayRequests, runawayMinutes };
    setInitialValues(values);
    setValues(values);
  }, [runawayRepeats, runawayAgents, runawayRequests, runawayMinutes, setInitialValues, setValues]);
  const save = form.onSubmit((values) => {
    change.mutate(values, {
      onSuccess: () => toastSuccess('Saved.'),
      onError: (error) => {
        const field = errorField(error);
        if (field === null) toastError('Could not save the change.', error);
        else form.setFieldError(field, toMessage(error));
      },
    });
  });
  return (
    <form onSubmit={save} noValidate>
      <Counts form={form} />
      {form.isDirty() && (
        <Group justify="flex-end" gap="xs" pb="md">
          <Button variant="default" onClick={form.reset}>
            Undo
          </Button>
          <Button
            type="submit"
            loading={change.isPending}
            aria-label="Save when an agent runs away"
          >
            Save
          </Button>
        </Group>
      )}
    </form>
  );
}

function CountInput(props: Parameters<typeof NumberInput>[0]) {
  return <NumberInput {...props} allowDecimal={false} allowNegative={false} />;
}

const COUNTS = [
  {
    name: 'runawayRepeats',
    label: 'Equal tool calls in a row',
    about: 'Calls of the same tools with the same arguments, from this number on.',
  },
  {
    name: 'runawayAgents',
    label: 'Sub-agents without a person',
    about:
      'Started one after the other or at once in a run since the last message of a person, from this number on.',
  },
  {
    name: 'runawayRequests',
    label: 'Requests without a person',
    about:
      'From this number on, when they also took the time below, since the last message of a person in the run.',
  },
] as const;

function Counts({ form }: { readonly form: UseFormReturnType<Form> }) {
  return (
    <>
      {COUNTS.map(({ name, label, about }) => (
        <Row key={name} label={label} about={about}>
          <CountInput {...form.getInputProps(name)} aria-label={label} />
        </Row>
      ))}
      <Row label="Time without a person" about="0 counts the requests alone.">
        <CountInput
          {...form.getInputProps('runawayMinutes')}
          suffix=" minutes"
          aria-label="Minutes without a person"
        />
      </Row>
    </>
  );
}
