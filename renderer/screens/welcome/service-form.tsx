import { Button, Group, PasswordInput, Stack } from '@mantine/core';
import { schemaResolver, useForm } from '@mantine/form';
import { useState } from 'react';
import { z } from 'zod';
import { UpstreamForm } from '../../../shared/upstream.ts';
import { fieldOf, sentenceOf } from '../../parts/problem.ts';
import { AddressInput } from './address-input.tsx';
import { KeyNotKept } from './key-not-kept.tsx';
import { useService } from './use-service.ts';
import { Verdict } from './verdict.tsx';

const Wanted = z.object({
  baseUrl: UpstreamForm.shape.baseUrl,
  key: z.string().trim().min(1, 'Give the service key.').max(1200, 'A key is not that long.'),
});
type Wanted = z.infer<typeof Wanted>;

/** Address and key of a service: tested, kept and used in one go. */
export function ServiceForm({ onDone }: { readonly onDone: () => void }) {
  const { test, keep } = useService(onDone);
  // What was tested last: another address or key needs another test.
  const [tested, setTested] = useState<Wanted | null>(null);
  const form = useForm<Wanted>({
    initialValues: { baseUrl: '', key: '' },
    validate: schemaResolver(Wanted, { sync: true }),
    onValuesChange: () => {
      setTested(null);
      keep.reset();
      test.reset();
    },
  });
  const blame = (error: unknown) => form.setErrors(errorsOf(error));
  const save = (wanted: Wanted, place: 'keychain' | 'file') =>
    keep.mutate({ ...wanted, place }, { onError: blame });
  const tryIt = (wanted: Wanted) => {
    setTested(wanted);
    test.mutate(wanted, {
      onError: blame,
      onSuccess: ({ works }) => works && save(wanted, 'keychain'),
    });
  };
  const doubtful = tested !== null && test.data?.works === false;
  return (
    <form onSubmit={form.onSubmit(tryIt)} noValidate aria-label="Your service">
      <Stack gap="sm">
        <AddressInput {...form.getInputProps('baseUrl')} value={form.values.baseUrl} />
        <PasswordInput
          label="Service key"
          description="From the web console of the service. It is kept in the keychain of this system."
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps('key')}
        />
        {test.data !== undefined && tested !== null && <Verdict verdict={test.data} />}
        {keep.isError && fieldOf(keep.error) !== 'key' && tested !== null && (
          <KeyNotKept
            sentence={sentenceOf(keep.error)}
            busy={keep.isPending}
            onAgain={() => save(tested, 'keychain')}
            onFile={() => save(tested, 'file')}
          />
        )}
        <Group gap="xs">
          <Button type="submit" loading={test.isPending || keep.isPending}>
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

/** Blames the field at fault; a failure of the whole is told beside the button. */
function errorsOf(error: unknown): Record<string, string> {
  const field = fieldOf(error);
  if (field === 'key') return { key: sentenceOf(error) };
  return field === 'baseUrl' || field === 'text' ? { baseUrl: sentenceOf(error) } : {};
}
