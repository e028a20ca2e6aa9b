import { Autocomplete, Group, NumberInput, Stack, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { DEFAULT_VIDEO_REQUEST } from '../../../../shared/video/video.ts';
import { useModelChoice } from '../../../api/use-model-list.ts';
import { FROM_IMAGE } from '../describe-order.ts';
import type { VideoForm } from './form.ts';

const PLAIN = { autoComplete: 'off', spellCheck: false } as const;
/** Maximum number of suggestions: a longer list does not help before anything is typed. */
const MAX_MODELS = 50;

/** The inputs for model, task, length and size, and for additional fields. */
export function Fields({ form }: { readonly form: UseFormReturnType<VideoForm> }) {
  const models = useModelChoice().map(({ model }) => model.id);
  return (
    <Stack gap="sm">
      <Autocomplete
        label="Model"
        data={[...new Set([DEFAULT_VIDEO_REQUEST.model, ...models])]}
        limit={MAX_MODELS}
        {...PLAIN}
        {...form.getInputProps('model')}
      />
      <Group gap="sm" grow align="flex-start">
        <TextInput
          label="Seconds"
          inputMode="decimal"
          {...PLAIN}
          {...form.getInputProps('seconds')}
        />
        <TextInput label="Resolution" {...PLAIN} {...form.getInputProps('resolution')} />
      </Group>
      <TextInput
        label="Task"
        description={`The kind of video, as the service names it. ${FROM_IMAGE}: a video from an image.`}
        {...PLAIN}
        {...form.getInputProps('task')}
      />
      <Textarea
        label="More fields"
        description="For other models, as a JSON object. Overrides the fields above. Use null to remove one."
        placeholder={'{"seed": 7}'}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        autosize
        minRows={2}
        maxRows={10}
        {...PLAIN}
        {...form.getInputProps('more')}
      />
      <NumberInput
        label="Wait at most"
        description="Checking stops then. Resuming costs nothing."
        suffix=" minutes"
        allowDecimal={false}
        allowNegative={false}
        {...form.getInputProps('waitMinutes')}
      />
    </Stack>
  );
}
