import { Modal, Stack } from '@mantine/core';
import { schemaResolver, useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { z } from 'zod';
import { ServiceKey } from '../../../shared/upstream.ts';
import { useCalls } from '../../client/client.ts';
import { KeyInput, type KeyPlace, PlaceInput } from '../../parts/key-inputs.tsx';
import { sentenceOf } from '../../parts/problem.ts';
import { sayDone } from '../../parts/said.ts';
import { useTrial } from '../../parts/use-trial.ts';
import { DialogFoot } from './dialog-foot.tsx';
import type { UpstreamWithKey } from './upstream-card.tsx';
import { formOf } from './upstream-form.ts';

interface DialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly upstream: UpstreamWithKey;
}

const KeyForm = z.object({ key: ServiceKey, place: z.enum(['keychain', 'file']) });

/** Takes a service key, tests it when asked, and keeps it. Nothing typed outlives the dialog. */
export function KeyDialog({ opened, onClose, upstream }: DialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={`Service key of ${upstream.name}`}>
      <Draft upstream={upstream} onClose={onClose} />
    </Modal>
  );
}

function Draft({ upstream, onClose }: Omit<DialogProps, 'opened'>) {
  const trial = useTrial();
  const form = useForm<{ key: string; place: KeyPlace }>({
    initialValues: { key: '', place: upstream.key.name === 'file' ? 'file' : 'keychain' },
    validate: schemaResolver(KeyForm, { sync: true }),
    // What was found out about another key says nothing about this one.
    onValuesChange: () => trial.reset(),
  });
  const save = useMutation(useCalls().upstreams.saveKey.mutationOptions());
  const submit = form.onSubmit((draft) => {
    save.mutate(
      { id: upstream.id, ...draft },
      {
        onSuccess: ({ sentence }) => {
          sayDone(sentence);
          onClose();
        },
        onError: (error) => form.setFieldError('key', sentenceOf(error)),
      },
    );
  });
  const test = () => {
    if (form.validate().hasErrors) return;
    trial.mutate({ form: formOf(upstream), key: form.values.key });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <KeyInput {...form.getInputProps('key')} description={upstream.baseUrl} data-autofocus />
        <PlaceInput
          value={form.values.place}
          onChange={(place) => form.setFieldValue('place', place)}
        />
        <DialogFoot
          trial={trial}
          onTest={test}
          onCancel={onClose}
          saving={save.isPending}
          save="Save"
        />
      </Stack>
    </form>
  );
}
