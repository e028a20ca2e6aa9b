import { ActionIcon, Button, Group, Input, Select, Stack, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { IconPlus, IconX } from '@tabler/icons-react';
import { StatusMeaning } from '../../../../shared/video/video.ts';
import type { FieldsForm } from './fields-form.ts';

const MEANINGS = [
  { value: 'working', label: 'still working' },
  { value: 'failed', label: 'it failed' },
  { value: 'completed', label: 'it is finished' },
] as const;

/** Edits the meanings of a service's status words. */
export function StatusWords({ form }: { readonly form: UseFormReturnType<FieldsForm> }) {
  const { words } = form.values;
  return (
    <section aria-label="Status words">
      <Input.Label>Status words</Input.Label>
      <Text size="xs" c="dimmed" mb="xs">
        “completed” needs no entry. Other words count as still working, and you are asked about
        them.
      </Text>
      <Stack gap="xs">
        {words.map((_, index) => (
          <Group key={index} gap="xs" wrap="nowrap" align="flex-start">
            <TextInput
              flex={1}
              aria-label="Word"
              autoComplete="off"
              spellCheck={false}
              {...form.getInputProps(`words.${index}.word`)}
            />
            <Select
              w={160}
              aria-label="Meaning"
              allowDeselect={false}
              data={MEANINGS}
              value={words[index]?.meaning ?? 'working'}
              onChange={(value) =>
                form.setFieldValue(
                  `words.${index}.meaning`,
                  StatusMeaning.catch('working').parse(value),
                )
              }
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              mt={6}
              onClick={() => form.removeListItem('words', index)}
              aria-label={`Forget the word ${words[index]?.word ?? ''}`}
            >
              <IconX size={15} />
            </ActionIcon>
          </Group>
        ))}
      </Stack>
      <Button
        size="compact-xs"
        variant="default"
        mt="xs"
        leftSection={<IconPlus size={13} />}
        onClick={() => form.insertListItem('words', { word: '', meaning: 'working' })}
      >
        Add a word
      </Button>
    </section>
  );
}
