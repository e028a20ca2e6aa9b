import { Button, Group, Stack } from '@mantine/core';
import { schemaResolver, useForm } from '@mantine/form';
import { useState } from 'react';
import { z } from 'zod';
import { type KeyPlace, ServiceKey, UpstreamForm } from '../../../shared/upstream.ts';
import { AddressInput } from '../../components/inputs/address-input.tsx';
import { KeyInput, useKeychainFault } from '../../components/inputs/key-inputs.tsx';
import { errorField, toMessage } from '../../format/errors.ts';
import { toastError } from '../../hooks/toast.ts';
import { useConnectionTest } from '../../hooks/use-connection-test.ts';
import { TestResultMessage } from '../../components/test-result.tsx';
import { KeyNotSaved } from './key-not-saved.tsx';
import { defaultForm, useSaveService } from './use-save-service.ts';

const ServiceFormValues = z.object({
  baseUrl: UpstreamForm.shape.baseUrl,
  key: ServiceKey,
});
type ServiceFormValues = z.infer<typeof ServiceFormValues>;

/** Asks for the address and key of a service, tests them, saves them and uses the service. */
export function ServiceForm({ onDone }: { readonly onDone: () => void }) {
  const { form, trial, saving, tested, save, tryIt } = useServiceForm(onDone);
  const keychainFault = useKeychainFault();
  const doubtful = tested !== null && trial.data?.works === false;
  return (
    <form onSubmit={form.onSubmit(tryIt)} noValidate aria-label="Your service">
      <Stack gap="sm">
        <AddressInput
          {...form.getInputProps('baseUrl')}
          value={form.values.baseUrl}
          description="The service’s API address. A full endpoint URL works too."
        />
        <KeyInput
          {...form.getInputProps('key')}
          description={`From the service’s web console. ${keychainFault === null ? 'Saved in the system keychain, or wherever you choose.' : `${keychainFault} You are asked before the key is stored in a plain-text file, which every program that you run can read.`}`}
        />
        <TestResultMessage
          verdict={trial.data}
          error={toFormField(trial.error) === null ? trial.error : null}
        />
        {typeof saving.data === 'string' && tested !== null && (
          <KeyNotSaved
            sentence={saving.data}
            onRetry={() => save(tested, 'keychain')}
            onFile={() => save(tested, 'file')}
          />
        )}
        <Group gap="xs">
          <Button type="submit" loading={trial.isPending || saving.isPending}>
            {doubtful ? 'Test again' : 'Test and connect'}
          </Button>
          {doubtful && (
            <Button variant="default" onClick={() => save(tested, 'keychain')}>
              Use it anyway
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}

function useServiceForm(onDone: () => void) {
  const trial = useConnectionTest();
  const saving = useSaveService(onDone);
  // A changed address or key needs another test.
  const [tested, setTested] = useState<ServiceFormValues | null>(null);
  const form = useForm<ServiceFormValues>({
    initialValues: { baseUrl: '', key: '' },
    validate: schemaResolver(ServiceFormValues, { sync: true }),
    onValuesChange: () => {
      setTested(null);
      saving.reset();
      trial.reset();
    },
  });
  const blame = (error: unknown): boolean => {
    const field = toFormField(error);
    if (field !== null) form.setFieldError(field, toMessage(error));
    return field !== null;
  };
  const save = (values: ServiceFormValues, place: KeyPlace) =>
    saving.mutate(
      { ...values, place },
      { onError: (error) => blame(error) || toastError('Could not save the service.', error) },
    );
  const tryIt = (values: ServiceFormValues) => {
    setTested(values);
    trial.mutate(
      { form: defaultForm(values.baseUrl), key: values.key },
      { onError: blame, onSuccess: ({ works }) => works && save(values, 'keychain') },
    );
  };
  return { form, trial, saving, tested, save, tryIt };
}

/** Returns the form field that a call was refused for. */
function toFormField(error: unknown): keyof ServiceFormValues | null {
  const field = errorField(error);
  if (field === 'key') return 'key';
  return field === 'baseUrl' || field === 'text' ? 'baseUrl' : null;
}
