import { Alert, Modal, Stack, Switch, Text } from '@mantine/core';
import { schemaResolver, useForm } from '@mantine/form';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState } from 'react';
import type { Upstream, UpstreamId } from '../../../../shared/upstream.ts';
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

function UpstreamDialogForm({ upstream, fixed, onClose }: Omit<DialogProps, 'opened'>) {
  const [savedId, setKept] = useState<UpstreamId | null>(upstream?.id ?? null);
  const connectionTest = useConnectionTest();
  const form = useForm<UpstreamFormValues>({
    initialValues: toFormValues(upstream, upstream === null && !fixed),
    validate: schemaResolver(UpstreamFormValues, { sync: true }),
    // The test result of another address or key does not apply to these.
    onValuesChange: () => connectionTest.reset(),
  });
  const save = useSaveUpstream(savedId, setKept);
  const { key } = form.values;
  const submit = form.onSubmit((draft) => {
    save.mutate(draft, {
      onSuccess: ({ name }) => {
        toastSuccess(upstream === null ? `${name} is added.` : `${name} is saved.`);
        onClose();
      },
      onError: (error) => {
        const field = errorField(error);
        if (field !== null && field in draft) form.setFieldError(field, toMessage(error));
      },
    });
  });
  const test = () => {
    if (form.validate().hasErrors) return;
    connectionTest.mutate({ form: toUpstreamForm(form.values), key: key === '' ? null : key });
  };
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
          connectionTest={connectionTest}
          onTest={test}
          onCancel={onClose}
          saving={save.isPending}
          save={upstream === null ? 'Add' : 'Save'}
        />
      </Stack>
    </form>
  );
}

function NewKey({ form }: { readonly form: UpstreamFormHandle }) {
  return (
    <>
      <KeyInput
        {...form.getInputProps('key')}
        description="From the service’s web console. You can also enter it later."
      />
      {form.values.key !== '' && (
        <KeyLocationInput
          value={form.values.place}
          onChange={(place) => form.setFieldValue('place', place)}
        />
      )}
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
