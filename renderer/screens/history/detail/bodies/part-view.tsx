import { Group, Text } from '@mantine/core';
import { IconFunction } from '@tabler/icons-react';
import { memo, useMemo } from 'react';
import { pluralize } from '../../../../../shared/format.ts';
import { formatArguments, formatJson } from '../../../../../shared/parse-bodies/json.ts';
import {
  describeCall,
  type Part,
  type ToolCall,
  type ToolResult,
} from '../../../../../shared/parse-bodies/parts.ts';
import classes from './bodies.module.css';
import { Disclosure } from '../../../../components/detail/disclosure.tsx';
import { ImageView } from './image-view.tsx';
import { LongMarkdown, PlainText, Verbatim } from './long-text.tsx';

interface PartsProps {
  readonly parts: readonly Part[];
  /** Whether texts are those of a model, which are Markdown. All others are shown as they are. */
  readonly isMarkdown: boolean;
  /** Whether the last part may still grow. */
  readonly isRunning?: boolean;
}

/** Shows the parts of a message, one below the other. */
export function Parts({ parts, isMarkdown, isRunning = false }: PartsProps) {
  return (
    <div className={classes['parts']}>
      {parts.map((part, place) => (
        <PartView
          key={place}
          part={part}
          isMarkdown={isMarkdown}
          isRunning={isRunning && place === parts.length - 1}
        />
      ))}
    </div>
  );
}

interface PartViewProps {
  readonly part: Part;
  readonly isMarkdown: boolean;
  readonly isRunning: boolean;
}

const PartView = memo(function PartView({ part, isMarkdown, isRunning }: PartViewProps) {
  switch (part.kind) {
    case 'text':
      return isMarkdown ? (
        <LongMarkdown text={part.text} isRunning={isRunning} />
      ) : (
        <Verbatim text={part.text} />
      );
    case 'reasoning':
      return (
        <Disclosure label={`Reasoning, ${pluralize(countWords(part.text), 'word')}`}>
          <PlainText text={part.text} />
        </Disclosure>
      );
    case 'call':
      return <CallView call={part} />;
    case 'result':
      return (
        <div className={classes['call']}>
          <ResultView
            result={part}
            title={
              part.call === undefined ? 'Result of a tool' : `Result of ${describeCall(part.call)}`
            }
          />
        </div>
      );
    case 'image':
      return <ImageView source={part.source} />;
    case 'other':
      return <JsonText value={part.value} />;
  }
});

function countWords(text: string): number {
  return text.split(/\s+/u).filter((word) => word !== '').length;
}

function CallView({ call }: { readonly call: ToolCall }) {
  const input = useMemo(() => formatArguments(call.input), [call.input]);
  return (
    <div className={classes['call']} role="group" aria-label={`Tool call: ${call.name}`}>
      <Group gap={6} wrap="nowrap">
        <IconFunction size={15} aria-hidden className={classes['icon'] ?? ''} />
        <Text size="sm" fw={600}>
          {call.name}
        </Text>
      </Group>
      {input === '' ? (
        <Text size="sm" c="dimmed">
          No arguments.
        </Text>
      ) : (
        <PlainText text={input} />
      )}
      {call.result !== null && <ResultView result={call.result} title="Result" />}
    </div>
  );
}

interface ResultViewProps {
  readonly result: ToolResult;
  readonly title: string;
}

function ResultView({ result: { parts, isError, callId }, title }: ResultViewProps) {
  return (
    <div className={classes['result']} role="group" aria-label={title}>
      <Group gap={6} title={callId ?? undefined}>
        <Text size="xs" fw={600} c="dimmed">
          {title}
        </Text>
        {isError && (
          <Text size="xs" fw={600} c="var(--gate-bad)">
            Error
          </Text>
        )}
      </Group>
      {parts.length === 0 && (
        <Text size="sm" c="dimmed">
          Empty.
        </Text>
      )}
      {parts.map((part, place) =>
        // The output of a tool is rarely Markdown.
        part.kind === 'text' ? (
          <PlainText key={place} text={part.text} />
        ) : (
          <PartView key={place} part={part} isMarkdown={false} isRunning={false} />
        ),
      )}
    </div>
  );
}

/** Shows a value as JSON. */
export function JsonText({ value }: { readonly value: unknown }) {
  const text = useMemo(() => formatJson(value), [value]);
  return <PlainText text={text} />;
}
