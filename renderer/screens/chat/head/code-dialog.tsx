import { Code, Modal, SegmentedControl, Skeleton, Stack, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Conversation, SnippetLanguage } from '../../../../shared/chat/chat.ts';
import { KEY_VARIABLE, LANGUAGE_NAMES } from '../../../../shared/request-code/code-request.ts';
import { useCalls } from '../../../api/client.ts';
import { CopyField } from '../../../components/copy-field.tsx';
import { ErrorState } from '../../../components/states/error-state.tsx';
import { ScreenLink } from '../../../components/screen-link.tsx';
import classes from './head.module.css';

interface CodeDialogProps {
  readonly conversation: Conversation;
  readonly onClose: () => void;
}

/** Shows a program that sends the last request of a conversation through Gatehouse. */
export function CodeDialog({ conversation: { id, lanes }, onClose }: CodeDialogProps) {
  const [lane, setLane] = useState('0');
  return (
    <Modal opened onClose={onClose} title="This conversation as code" size={760}>
      <Stack gap="sm">
        <Text size="sm">
          The same request, against the local address. It reads a local key from the environment
          variable <Code>{KEY_VARIABLE}</Code>: add a client in{' '}
          <ScreenLink to="/clients">Clients</ScreenLink> to get one.
        </Text>
        {lanes.length > 1 && (
          <SegmentedControl
            size="xs"
            aria-label="Model"
            data={lanes.map(({ model }, place) => ({ value: String(place), label: model }))}
            value={lane}
            onChange={setLane}
          />
        )}
        <Tabs defaultValue="curl" keepMounted={false}>
          <Tabs.List>
            {SnippetLanguage.options.map((language) => (
              <Tabs.Tab key={language} value={language}>
                {LANGUAGE_NAMES[language]}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {SnippetLanguage.options.map((language) => (
            <Tabs.Panel key={language} value={language} pt="sm">
              <Snippet id={id} lane={Number(lane)} language={language} />
            </Tabs.Panel>
          ))}
        </Tabs>
      </Stack>
    </Modal>
  );
}

interface SnippetProps {
  readonly id: Conversation['id'];
  readonly lane: number;
  readonly language: SnippetLanguage;
}

function Snippet(input: SnippetProps) {
  // The code changes after every answer.
  const uncached = { staleTime: 0, gcTime: 0 };
  const { data, error, refetch } = useQuery({
    ...useCalls().chat.snippet.queryOptions({ input }),
    ...uncached,
  });
  if (error !== null) {
    return (
      <ErrorState title="Could not create the code." error={error} onRetry={() => void refetch()} />
    );
  }
  if (data === undefined) return <Skeleton h={320} />;
  return (
    <div
      className={classes['code']}
      tabIndex={0}
      role="region"
      aria-label={LANGUAGE_NAMES[input.language]}
    >
      <CopyField value={data.text} what="the code" block />
    </div>
  );
}
