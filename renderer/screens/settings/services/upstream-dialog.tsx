import { Alert, Modal, Stack, Switch, Text } from '@mantine/core';
import { schemaResolver, useForm } from '@mantine/form';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { Upstream } from '../../../../shared/upstream.ts';
import { AddressInput } from '../../../components/inputs/address-input.tsx';
import { KeyInput, KeyLocationInput } from '../../../components/inputs/key-inputs.tsx';
import { errorField, toMessage } from '../../../format/errors.ts';
import { toastSuccess } from '../../../hooks/toast.ts';
import { useConnectionTest } from '../../../hooks/use-connection-test.ts';
import { Connection, NameInput } from './connection-inputs.tsx';
import { DialogFooter } from './dialog-footer.tsx';
import {
  type UpstreamFormHandle,
  toFormValues,
  toUpstreamForm,
  UpstreamFormValues,
} from './upstream-form.ts';
import { useSaveUpstream } from './use-save-upstream.ts';

interface DialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  /** `null` for a new one. */
  readonly upstream: Upstream | null;
  /** Whether the service in use is fixed for this run. */
  readonly fixed: boolean;
}

/** Adds a service or changes one. The input is discarded with the dialog. */
export function UpstreamDialog({ opened, onClose, upstream, fixed }: DialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      size="lg"
      title={upstream === null ? 'Add a service' : `Edit ${upstream.name}`}
    >
      <UpstreamDialogForm upstream={upstream} fixed={fixed} onClose={onClose} />
    </Modal>
  );
}

type FormProps = Omit<DialogProps, 'opened'>;

/** Keeps the form of the dialog with its test and its saving. `failed`: the test because of which nothing was added. */
function useUpstreamDialog({ upstream, fixed, onClose }: FormProps) {
  const connectionTest = useConnectionTest();
  const save = useSaveUpstream(upstream?.id ?? null);
  const form = useForm<UpstreamFormValues>({
    initialValues: toFormValues(upstream, upstream === null && !fixed),
    validate: schemaResolver(UpstreamFormValues, { sync: true }),
    onValuesChange: (values, previous) => {
      // The test result of another address or key does not apply to these.
      if (!isSameConnection(values, previous)) connectionTest.reset();
      save.reset();
    },
  });
  const { key } = form.values;
  const failed = save.data?.test?.works === false ? save.data.test : undefined;
  const submit = form.onSubmit((draft) => {
    save.mutate(
      { draft, untested: failed !== undefined },
      {
        onSuccess: ({ upstream: saved, test }) => {
          if (saved === null) return;
          toastSuccess(
            upstream === null
              ? describeAdded(saved.name, {
                  tested: test !== null,
                  failed: failed !== undefined,
                  key,
                })
              : `${saved.name} was saved.`,
          );
          onClose();
        },
        onError: (error) => {
          const field = errorField(error);
          if (field !== null && field in draft) form.setFieldError(field, toMessage(error));
        },
      },
    );
  });
  const runTest = () => {
    if (form.validate().hasErrors) return;
    save.reset();
    connectionTest.mutate({
      form: toUpstreamForm(form.values),
      key: key === '' ? null : key,
      isNew: upstream === null,
    });
  };
  return { form, save, failed, connectionTest, submit, test: runTest };
}

function UpstreamDialogForm(props: FormProps) {
  const { upstream, fixed, onClose } = props;
  const { form, save, failed, connectionTest, submit, test } = useUpstreamDialog(props);
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <AddressInput
          {...form.getInputProps('baseUrl')}
          value={form.values.baseUrl}
          required
          data-autofocus
        />
        <NameInput form={form} />
        {upstream === null ? <NewKey form={form} /> : <KeyNote upstream={upstream} form={form} />}
        <Connection form={form} />
        {upstream === null && (
          <Switch
            {...form.getInputProps('use', { type: 'checkbox' })}
            label="Use this service now"
            disabled={fixed}
          />
        )}
        <SaveFailure error={save.error} form={form} />
        <DialogFooter
          verdict={failed ?? connectionTest.data}
          error={connectionTest.error}
          testing={connectionTest.isPending}
          onTest={test}
          onCancel={onClose}
          saving={save.isPending}
          save={saveLabel(upstream === null, failed !== undefined)}
        />
      </Stack>
    </form>
  );
}

interface AddedFacts {
  readonly tested: boolean;
  /** Whether it was added although its test failed. */
  readonly failed: boolean;
  readonly key: string;
}

function describeAdded(name: string, { tested, failed, key }: AddedFacts): string {
  if (tested) return `${name} was added.`;
  if (failed) return `${name} was added, although its test failed.`;
  return `${name} was added, but not tested.${key === '' ? ' Enter its key next.' : ''}`;
}

/** Whether two states of the form reach the service in the same way: its name and the place of its key do not matter. */
function isSameConnection(one: UpstreamFormValues, other: UpstreamFormValues): boolean {
  const fields = ['baseUrl', 'key', 'versionVendor', 'caFile', 'proxyUrl'] as const;
  return fields.every((field) => one[field] === other[field]);
}

/** After a failed test, nothing is added until the person insists. */
function saveLabel(isNew: boolean, failed: boolean): string {
  if (!isNew) return 'Save';
  return failed ? 'Add anyway' : 'Add';
}

function NewKey({ form }: { readonly form: UpstreamFormHandle }) {
  return (
    <>
      <KeyInput
        {...form.getInputProps('key')}
        description="From the service’s web console. You can also enter it later."
      />
      {/* Shown before a key is entered, too: appearing with it, it would move the buttons below. */}
      <KeyLocationInput
        value={form.values.place}
        onChange={(place) => form.setFieldValue('place', place)}
        error={form.errors['place']}
      />
    </>
  );
}

/** Warns that a key belongs to its address: it is never sent to another one. */
function KeyNote({
  upstream,
  form,
}: {
  readonly upstream: Upstream;
  readonly form: UpstreamFormHandle;
}) {
  if (form.values.baseUrl.trim() === upstream.baseUrl) return null;
  return (
    <Text size="sm" role="status">
      The service key belongs to the address. For another address, enter the key again.
    </Text>
  );
}

/** Returns the message of an error that belongs to no field. */
function SaveFailure({
  error,
  form,
}: {
  readonly error: unknown;
  readonly form: UpstreamFormHandle;
}) {
  const field = errorField(error);
  // An error shown at a field is not shown again here when the field is corrected: everything below would move.
  if (error === null || (field !== null && field in form.values)) return null;
  return (
    <Alert color="red" icon={<IconAlertTriangle />} title="Could not save" role="alert">
      {toMessage(error)}
    </Alert>
  );
}
