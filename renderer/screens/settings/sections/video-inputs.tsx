import { Button, Group, NumberInput, TextInput } from '@mantine/core';
import { schemaResolver, useForm, type UseFormReturnType } from '@mantine/form';
import { useEffect } from 'react';
import { z } from 'zod';
import { Settings } from '../../../../shared/settings.ts';
import { errorField, toMessage } from '../../../format/errors.ts';
import { toastSuccess, toastError } from '../../../hooks/toast.ts';
import { Row } from '../setting-row.tsx';
import { useSettingsChange } from '../use-settings-change.ts';

/** A folder as typed; empty for the one in the data folder. */
const Form = z.object({
  videoFolder: z.string().max(4096, 'A path has at most 4096 characters.'),
  videosAtOnce: Settings.shape.videosAtOnce,
});
type Form = z.infer<typeof Form>;

/** Edits the folder for finished videos, and how many are made at the same time. */
export function VideoInputs({
  videoFolder,
  videosAtOnce,
}: Pick<Settings, 'videoFolder' | 'videosAtOnce'>) {
  const change = useSettingsChange();
  const stored = { videoFolder: videoFolder ?? '', videosAtOnce };
  const form = useForm<Form>({
    initialValues: stored,
    validate: schemaResolver(Form, { sync: true }),
  });
  const { setInitialValues, setValues } = form;
  useEffect(() => {
    const values = { videoFolder: videoFolder ?? '', videosAtOnce };
    setInitialValues(values);
    setValues(values);
  }, [videoFolder, videosAtOnce, setInitialValues, setValues]);
  const save = form.onSubmit(({ videoFolder: folder, videosAtOnce: atOnce }) => {
    const values = {
      videoFolder: folder.trim() === '' ? null : folder.trim(),
      videosAtOnce: atOnce,
    };
    change.mutate(values, {
      onSuccess: () => toastSuccess('Saved.'),
      onError: (error) => {
        const field = errorField(error);
        if (field === null) toastError('Could not save the video settings.', error);
        else form.setFieldError(field, toMessage(error));
      },
    });
  });
  return (
    <form onSubmit={save} noValidate>
      <Inputs form={form} />
      {form.isDirty() && (
        <Group justify="flex-end" gap="xs" pb="md">
          <Button variant="default" onClick={form.reset}>
            Undo
          </Button>
          <Button type="submit" loading={change.isPending} aria-label="Save the video settings">
            Save
          </Button>
        </Group>
      )}
    </form>
  );
}

function Inputs({ form }: { readonly form: UseFormReturnType<Form> }) {
  return (
    <>
      <Row
        label="Folder"
        about="Finished videos are saved here. Leave empty to use “videos” in the data folder. Existing files are not moved."
      >
        <TextInput
          aria-label="Folder for videos"
          placeholder="videos, in the data folder"
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps('videoFolder')}
        />
      </Row>
      <Row
        label="At the same time"
        about="How many of your videos run at once; the rest wait. Videos ordered by clients do not count."
      >
        <NumberInput
          aria-label="Videos at the same time"
          suffix={form.values.videosAtOnce === 1 ? ' video' : ' videos'}
          allowDecimal={false}
          allowNegative={false}
          max={100}
          {...form.getInputProps('videosAtOnce')}
        />
      </Row>
    </>
  );
}
