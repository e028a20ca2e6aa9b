import { Modal, Stack } from '@mantine/core';
import { schemaResolver, useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { z } from 'zod';
import { type KeyPlace, ServiceKey } from '../../../../shared/upstream.ts';
import { useCalls } from '../../../api/client.ts';
import { KeyInput, KeyLocationInput } from '../../../components/inputs/key-inputs.tsx';
import { toMessage } from '../../../format/errors.ts';
import { toastSuccess } from '../../../hooks/toast.ts';
import { useConnectionTest } from '../../../hooks/use-connection-test.ts';
import { DialogFooter } from './dialog-footer.tsx';
import { type UpstreamWithKey, toUpstreamForm } from './upstream-form.ts';

interface DialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly upstream: UpstreamWithKey;
}

const KeyForm = z.object({ key: ServiceKey, place: z.enum(['keychain', 'file']) });

/** Asks for a service key, tests it on request, and saves it. The input is discarded with the dialog. */
export function KeyDialog({ opened, onClose, upstream }: DialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={`Service key of ${upstream.name}`}>
      <KeyDialogForm upstream={upstream} onClose={onClose} />
    </Modal>
  );
}

function KeyDialogForm({ upstream, onClose }: Omit<DialogProps, 'opened'>) {
  const connectionTest = useConnectionTest();
  const form = useForm<{ key: string; place: KeyPlace }>({
    initialValues: { key: '', place: upstream.key.name === 'file' ? 'file' : 'keychain' },
    validate: schemaResolver(KeyForm, { sync: true }),
    // The test result of another key does not apply to this one.
    onValuesChange: ({ key }, previous) => {
      if (key !== previous.key) connectionTest.reset();
    },
  });
  const save = useMutation(useCalls().upstreams.saveKey.mutationOptions());
  const submit = form.onSubmit((draft) => {
    save.mutate(
      { id: upstream.id, ...draft },
      {
        onSuccess: ({ sentence }) => {
          toastSuccess(sentence);
          onClose();
        },
        onError: (error) => form.setFieldError('key', toMessage(error)),
      },
    );
  });
  const test = () => {
    if (form.validate().hasErrors) return;
    connectionTest.mutate({ form: toUpstreamForm(upstream), key: form.values.key });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <KeyInput {...form.getInputProps('key')} description={upstream.baseUrl} data-autofocus />
        <KeyLocationInput
          value={form.values.place}
          onChange={(place) => form.setFieldValue('place', place)}
        />
        <DialogFooter
          verdict={connectionTest.data}
          error={connectionTest.error}
          testing={connectionTest.isPending}
          onTest={test}
          onCancel={onClose}
          saving={save.isPending}
          save="Save"
        />
      </Stack>
    </form>
  );
}
