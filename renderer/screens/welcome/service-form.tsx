import { Button, Group, Stack } from '@mantine/core';
import { schemaResolver, useForm } from '@mantine/form';
import { useState } from 'react';
import { z } from 'zod';
import { ServiceKey, UpstreamForm } from '../../../shared/upstream.ts';
import { AddressInput } from '../../parts/address-input.tsx';
import { KeyInput, type KeyPlace } from '../../parts/key-inputs.tsx';
import { fieldOf, sentenceOf } from '../../parts/problem.ts';
import { sayFailed } from '../../parts/said.ts';
import { useTrial } from '../../parts/use-trial.ts';
import { Verdict } from '../../parts/verdict.tsx';
import { KeyNotKept } from './key-not-kept.tsx';
import { formFor, useKeeping } from './use-keeping.ts';

const Wanted = z.object({
  baseUrl: UpstreamForm.shape.baseUrl,
  key: ServiceKey,
});
type Wanted = z.infer<typeof Wanted>;

/** Address and key of a service: tested, kept and used in one go. */
export function ServiceForm({ onDone }: { readonly onDone: () => void }) {
  const { form, trial, keep, tested, save, tryIt } = useServiceForm(onDone);
  const doubtful = tested !== null && trial.data?.works === false;
  return (
    <form onSubmit={form.onSubmit(tryIt)} noValidate aria-label="Your service">
      <Stack gap="sm">
        <AddressInput
          {...form.getInputProps('baseUrl')}
          value={form.values.baseUrl}
          description="The address of the service for programs. A whole endpoint will do, too."
        />
        <KeyInput
          {...form.getInputProps('key')}
          description="From the web console of the service. It goes into the keychain of this system, or where you say."
        />
        <Verdict verdict={trial.data} error={fieldAt(trial.error) === null ? trial.error : null} />
        {typeof keep.data === 'string' && tested !== null && (
          <KeyNotKept
            sentence={keep.data}
            onAgain={() => save(tested, 'keychain')}
            onFile={() => save(tested, 'file')}
          />
        )}
        <Group gap="xs">
          <Button type="submit" loading={trial.isPending || keep.isPending}>
            {doubtful ? 'Test again' : 'Test and use it'}
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
  const trial = useTrial();
  const keep = useKeeping(onDone);
  // What was tested last: another address or key needs another test.
  const [tested, setTested] = useState<Wanted | null>(null);
  const form = useForm<Wanted>({
    initialValues: { baseUrl: '', key: '' },
    validate: schemaResolver(Wanted, { sync: true }),
    onValuesChange: () => {
      setTested(null);
      keep.reset();
      trial.reset();
    },
  });
  const blame = (error: unknown): boolean => {
    const field = fieldAt(error);
    if (field !== null) form.setFieldError(field, sentenceOf(error));
    return field !== null;
  };
  const save = (wanted: Wanted, place: KeyPlace) =>
    keep.mutate(
      { ...wanted, place },
      { onError: (error) => blame(error) || sayFailed('The service was not saved.', error) },
    );
  const tryIt = (wanted: Wanted) => {
    setTested(wanted);
    trial.mutate(
      { form: formFor(wanted.baseUrl), key: wanted.key },
      { onError: blame, onSuccess: ({ works }) => works && save(wanted, 'keychain') },
    );
  };
  return { form, trial, keep, tested, save, tryIt };
}

/** The field that a call was refused for, as it is called here. */
function fieldAt(error: unknown): keyof Wanted | null {
  const field = fieldOf(error);
  if (field === 'key') return 'key';
  return field === 'baseUrl' || field === 'text' ? 'baseUrl' : null;
}
