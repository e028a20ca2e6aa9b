import { Text } from '@mantine/core';
import { useState } from 'react';
import type { StoredBody } from '../../../../../shared/exchange/body.ts';
import { formatBytes, formatCount, pluralize } from '../../../../../shared/format.ts';
import type { Conversation, Tool } from '../../../../../shared/parse-bodies/parse-request.ts';
import type { Message } from '../../../../../shared/parse-bodies/parts.ts';
import classes from './bodies.module.css';
import { MoreButton } from './more-button.tsx';
import { Disclosure } from '../../../../components/detail/disclosure.tsx';
import { PlainText } from './long-text.tsx';
import { JsonText, Parts } from './part-view.tsx';

interface ConversationViewProps {
  readonly conversation: Conversation;
  readonly omitted: StoredBody['omitted'];
}

/** Number of the newest messages that are shown at first, and of those that are added on request. */
const FIRST_SHOWN = 6;
const STEP = 20;

/** Shows a request as a conversation: its parameters, tools and messages, the newest ones at first. */
export function ConversationView({ conversation, omitted }: ConversationViewProps) {
  const { messages, prompts, parameters, tools } = conversation;
  const [isOpen, setOpen] = useState(false);
  const rest = messages.slice(prompts);
  const end = rest.findIndex((message) => message.mark === 'earlier');
  const mark = rest[end];
  return (
    <div className={classes['conversation']}>
      <Text size="xs" c="dimmed">
        {[
          ...parameters.map(({ name, value }) => `${name} ${value}`),
          ...(tools.length === 0 ? [] : [pluralize(tools.length, 'tool')]),
        ].join(' · ')}
      </Text>
      {tools.length > 0 && <Tools tools={tools} />}
      {messages.slice(0, prompts).map((message, place) => (
        <Disclosure
          key={place}
          label={`${labelOf(message.role)} prompt, ${describeLength(message)}`}
        >
          <Parts parts={message.parts} isMarkdown={false} />
        </Disclosure>
      ))}
      {isOpen && (
        <section className={classes['earlier'] ?? ''} aria-label="Earlier messages">
          <MessageList messages={rest.slice(0, end)} omitted={null} />
        </section>
      )}
      {mark !== undefined && (
        <div className={classes['mark']}>
          <Text size="sm" c="dimmed">
            {mark.parts.map((part) => ('text' in part ? part.text : ''))}
          </Text>
          {end > 0 && (
            <MoreButton isExpanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {isOpen ? 'Hide the earlier messages' : 'Show the earlier messages'}
            </MoreButton>
          )}
        </div>
      )}
      <MessageList messages={rest.slice(end + 1)} omitted={omitted} />
    </div>
  );
}

interface MessageListProps {
  readonly messages: readonly Message[];
  readonly omitted: StoredBody['omitted'];
}

/** Shows messages, the newest ones at first. */
function MessageList({ messages, omitted }: MessageListProps) {
  const [count, setCount] = useState(FIRST_SHOWN);
  const hidden = Math.max(0, messages.length - count);
  return (
    <>
      {hidden > 0 && (
        <MoreButton onClick={() => setCount(count + STEP)}>
          Show {pluralize(Math.min(STEP, hidden), 'earlier message')}
          {hidden > STEP && ` of ${formatCount(hidden)}`}
        </MoreButton>
      )}
      {messages.slice(hidden).map((message, place) =>
        message.mark === 'omitted' ? (
          <Text key={hidden + place} size="sm" c="dimmed" className={classes['omitted'] ?? ''}>
            … {omitted === null ? 'Some' : formatBytes(omitted.bytes)} in the middle are not kept,
            with the messages there …
          </Text>
        ) : (
          <MessageView key={hidden + place} message={message} />
        ),
      )}
    </>
  );
}

const LABELS = new Map([
  ['system', 'System'],
  ['developer', 'Developer'],
  ['user', 'User'],
  ['assistant', 'Assistant'],
  ['tool', 'Tool'],
  ['function', 'Tool'],
]);

function labelOf(role: string): string {
  return LABELS.get(role) ?? role;
}

function describeLength({ parts }: Message): string {
  const length = parts.reduce((sum, part) => sum + ('text' in part ? part.text.length : 0), 0);
  return pluralize(length, 'character');
}

function MessageView({ message: { role, parts } }: { readonly message: Message }) {
  return (
    <article className={classes['message']} data-role={role} aria-label={labelOf(role)}>
      <Text size="xs" fw={600} c="dimmed">
        {labelOf(role)}
      </Text>
      {parts.length === 0 ? (
        <Text size="sm" c="dimmed">
          Empty.
        </Text>
      ) : (
        <Parts parts={parts} isMarkdown={role === 'assistant'} />
      )}
    </article>
  );
}

const MAX_TOOLS = 200;

function Tools({ tools }: { readonly tools: readonly Tool[] }) {
  return (
    <Disclosure label={`Tools (${formatCount(tools.length)})`}>
      {tools.slice(0, MAX_TOOLS).map((tool, place) => (
        <Disclosure key={place} label={tool.name}>
          {tool.description !== null && <PlainText text={tool.description} />}
          {tool.schema !== null && <JsonText value={tool.schema} />}
        </Disclosure>
      ))}
    </Disclosure>
  );
}
