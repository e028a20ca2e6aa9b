import { Button, Group, Modal, Stack, TagsInput, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { IconTag } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ZodType } from 'zod';
import type { ExchangeId } from '../../../../../shared/exchange/exchange.ts';
import {
  type ExchangeMark,
  MarkChange,
  MAX_TAGS,
} from '../../../../../shared/exchange/exchange-mark.ts';
import { useCalls } from '../../../../api/client.ts';
import { errorField, toMessage } from '../../../../format/errors.ts';
import { useChangeMark } from './use-change-mark.ts';

interface EditMarkProps {
  readonly id: ExchangeId;
  readonly mark: ExchangeMark | null;
}

/** Edits the note and the tags of an exchange in a dialog. */
export function EditMark({ id, mark }: EditMarkProps) {
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconTag size={14} aria-hidden />}
        onClick={dialog.open}
      >
        Note and tags
      </Button>
      <Modal opened={isOpen} onClose={dialog.close} title="Note and tags">
        <MarkForm id={id} mark={mark} onClose={dialog.close} />
      </Modal>
    </>
  );
}

interface FormValues {
  readonly note: string;
  readonly tags: string[];
}

/** Returns the first thing that is wrong with a value. */
function findProblem(schema: ZodType, value: unknown): string | null {
  return schema.safeParse(value).error?.issues[0]?.message ?? null;
}

function MarkForm({ id, mark, onClose }: EditMarkProps & { readonly onClose: () => void }) {
  const { data: names } = useQuery(useCalls().history.names.queryOptions());
  const save = useChangeMark(id);
  const [before] = useState<FormValues>({ note: mark?.note ?? '', tags: [...(mark?.tags ?? [])] });
  const form = useForm<FormValues>({
    initialValues: before,
    validate: {
      note: (note) => findProblem(MarkChange.shape.note, note),
      tags: (tags) => findProblem(MarkChange.shape.addTags, tags),
    },
  });
  const submit = form.onSubmit((values) => {
    save.mutate(
      { id, change: toChange(before, values) },
      {
        onSuccess: onClose,
        onError: (error) =>
          form.setFieldError(errorField(error) === 'note' ? 'note' : 'tags', toMessage(error)),
      },
    );
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Textarea
          {...form.getInputProps('note')}
          label="Note"
          data-autofocus
          autosize
          minRows={3}
          maxRows={10}
        />
        <TagsInput
          {...form.getInputProps('tags')}
          label="Tags"
          description="Enter, a space or a comma ends a tag."
          data={[...(names?.tags ?? [])]}
          splitChars={[',', ' ']}
          maxTags={MAX_TAGS}
          comboboxProps={{ withinPortal: false }}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Returns what was changed, so that another window may change the rest meanwhile. */
function toChange(before: FormValues, { note, tags }: FormValues): MarkChange {
  return {
    ...(note === before.note ? {} : { note }),
    addTags: tags.filter((tag) => !before.tags.includes(tag)),
    removeTags: before.tags.filter((tag) => !tags.includes(tag)),
  };
}
