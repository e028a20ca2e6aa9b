import { Button, Code, Group, Radio, Stack, Text, TextInput } from '@mantine/core';
import { type SubmitEvent, useState } from 'react';
import type {
  Candidate,
  VideoAction,
  VideoJob,
  VideoQuestion,
} from '../../../../shared/video/video.ts';
import { CopyButton } from '../../../components/copy-button.tsx';
import { DetailSection } from '../../../components/detail/detail-section.tsx';
import { toMessage } from '../../../format/errors.ts';
import { useVideoAction } from '../use-video-action.ts';
import classes from './detail.module.css';
import { RawText } from './raw-text.tsx';

const ABOUT = {
  'file-url': {
    title: 'Which of these is the address of the image?',
    why: 'The service accepted the image, but Gatehouse cannot find its address in the answer. Nothing has been ordered yet.',
    none: 'There is no address in it.',
    typed: 'Another address',
  },
  'task-id': {
    title: 'Which of these is the id of the task?',
    why: 'The service accepted the order, but Gatehouse cannot find the id in the answer. Nothing is ordered again.',
    none: 'Nothing in it looks like an id.',
    typed: 'Another id',
  },
} as const;

const OTHER = 'other';

interface QuestionProps {
  readonly job: VideoJob;
  readonly question: VideoQuestion;
}

/** Asks a question about a response that only a person can answer, with the response verbatim. */
export function Question({ job, question }: QuestionProps) {
  return (
    <section className={classes['ask']} aria-label="Question">
      <Choice job={job} question={question} />
      <DetailSection
        title={
          <span className={classes['withButton']}>
            The raw answer <CopyButton value={question.answer} what="the answer" />
          </span>
        }
      >
        <RawText text={question.answer} label="The raw answer" />
      </DetailSection>
    </section>
  );
}

function Choice({ job, question: { about, candidates } }: QuestionProps) {
  const { title, why, none, typed } = ABOUT[about];
  const { attempt, doing } = useVideoAction(job.id);
  const [picked, setPicked] = useState(candidates.length === 0 ? OTHER : '');
  const [value, setValue] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const isOther = picked === OTHER;
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (picked === '') return setProblem('Choose one of the options.');
    if (isOther && value.trim() === '') return setProblem('Type or paste it here.');
    const action: VideoAction = isOther
      ? { type: 'answer-value', value: value.trim() }
      : { type: 'answer', pointer: picked };
    attempt(action).catch((error: unknown) => setProblem(toMessage(error)));
  };
  const change = (set: (text: string) => void) => (text: string) => {
    set(text);
    setProblem(null);
  };
  return (
    <form onSubmit={submit} noValidate>
      <Radio.Group
        label={title}
        description={why}
        value={picked}
        onChange={change(setPicked)}
        error={isOther ? null : problem}
      >
        <Stack gap={8} my="sm">
          {candidates.length === 0 && <Text size="sm">{none}</Text>}
          {candidates.map((candidate) => (
            <CandidateLabel key={candidate.pointer} candidate={candidate} />
          ))}
          <Radio value={OTHER} label={typed} description="For this video only." />
        </Stack>
      </Radio.Group>
      {isOther && (
        <TextInput
          aria-label={typed}
          value={value}
          onChange={(event) => change(setValue)(event.currentTarget.value)}
          error={problem}
          autoComplete="off"
          spellCheck={false}
          mb="sm"
        />
      )}
      <QuestionFooter service={isOther ? null : job.service.name} busy={doing !== undefined} />
    </form>
  );
}

function CandidateLabel({ candidate: { pointer, value } }: { readonly candidate: Candidate }) {
  return <Radio value={pointer} label={<Code>{value}</Code>} description={`at ${pointer}`} />;
}

function QuestionFooter({
  service,
  busy,
}: {
  readonly service: string | null;
  readonly busy: boolean;
}) {
  return (
    <Group justify="space-between" gap="xs" mb="md">
      <Text size="xs" c="dimmed" flex={1}>
        {service !== null && `Remembered for ${service}; you can change it in Settings.`}
      </Text>
      <Button type="submit" size="xs" loading={busy}>
        Use this
      </Button>
    </Group>
  );
}
