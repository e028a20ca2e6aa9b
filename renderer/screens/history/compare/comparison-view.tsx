import { Stack, Table, Text, Title } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import {
  type ComparedRequest,
  compareExchanges,
  type StoredExchange,
} from '../../../../shared/compare/compare-exchanges.ts';
import type { ComparedFact } from '../../../../shared/compare/compare-facts.ts';
import { ScreenLink } from '../../../components/screen-link.tsx';
import { formatTimestamp } from '../../../format/format.ts';
import { ChangeList } from '../detail/bodies/change-list.tsx';
import classes from './compare.module.css';
import { MessageList } from './message-list.tsx';
import { Pieces } from './pieces.tsx';

interface ComparisonViewProps {
  readonly before: StoredExchange;
  readonly after: StoredExchange;
}

/** Shows the differences of two exchanges. */
export function ComparisonView({ before, after }: ComparisonViewProps) {
  const { facts, request, answer, isIncomplete } = useMemo(
    () => compareExchanges(before, after),
    [before, after],
  );
  return (
    <Stack gap="lg">
      <FactTable facts={facts} before={before} after={after} />
      {isIncomplete && (
        <NotStored>The middle of a long body is not kept, so it is not compared.</NotStored>
      )}
      {request === null ? (
        <Section title="Request">
          <NotStored>One of the requests has no body, or it is not stored.</NotStored>
        </Section>
      ) : (
        <>
          {request.kind === 'conversation' && <Rebuilt rebuilt={request.rebuilt} />}
          <RequestChanges request={request} />
        </>
      )}
      <Section title="Answer">
        {answer === null ? (
          <NotStored>One of the responses has no body, or it is not stored.</NotStored>
        ) : (
          <Pieces pieces={answer} />
        )}
      </Section>
    </Stack>
  );
}

interface SectionProps {
  readonly title: string;
  readonly children: ReactNode;
}

function Section({ title, children }: SectionProps) {
  return (
    <section aria-label={title}>
      <Title order={2} size="h3" mb={6}>
        {title}
      </Title>
      {children}
    </section>
  );
}

function NotStored({ children }: { readonly children: string }) {
  return (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  );
}

interface RebuiltProps {
  readonly rebuilt: Extract<ComparedRequest, { kind: 'conversation' }>['rebuilt'];
}

/** Says what of the requests was rebuilt from those before them. */
function Rebuilt({ rebuilt: { before, after } }: RebuiltProps) {
  return (
    <>
      {before !== null && <NotStored>{`Before: ${before}`}</NotStored>}
      {after !== null && <NotStored>{`After: ${after}`}</NotStored>}
    </>
  );
}

interface FactTableProps extends ComparisonViewProps {
  readonly facts: readonly ComparedFact[];
}

function FactTable({ facts, before, after }: FactTableProps) {
  return (
    <Table className={classes['facts'] ?? ''} aria-label="Facts" verticalSpacing={4}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">Fact</Table.Th>
          <HeadCell name="Before" stored={before} />
          <HeadCell name="After" stored={after} />
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {facts.map((fact) => (
          <Table.Tr key={fact.name} data-changed={fact.before !== fact.after || undefined}>
            <Table.Th scope="row">{fact.name}</Table.Th>
            <Table.Td data-figures>{fact.before}</Table.Td>
            <Table.Td data-figures>{fact.after}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

interface HeadCellProps {
  readonly name: string;
  readonly stored: StoredExchange;
}

function HeadCell({ name, stored: { exchange } }: HeadCellProps) {
  return (
    <Table.Th scope="col">
      {name}:{' '}
      <ScreenLink size="sm" to="/history" search={{ exchange: exchange.id }}>
        {formatTimestamp(exchange.startedAt)}
      </ScreenLink>
    </Table.Th>
  );
}

function RequestChanges({ request }: { readonly request: ComparedRequest }) {
  if (request.kind === 'text') {
    return (
      <Section title="Request">
        <Pieces pieces={request.pieces} />
      </Section>
    );
  }
  const { parameters, tools, messages } = request;
  return (
    <>
      {parameters.length > 0 && (
        <Section title="Parameters">
          <ChangeList changes={parameters} label="Changed parameters" />
        </Section>
      )}
      {tools.length > 0 && (
        <Section title="Tools">
          <ul className={classes['tools']}>
            {tools.map(({ name, kind, pieces }) => (
              <li key={name}>
                <Text size="sm">
                  <code>{name}</code>, {kind}
                </Text>
                {pieces.length > 0 && <Pieces pieces={pieces} />}
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Section title="Messages">
        <MessageList messages={messages} />
      </Section>
    </>
  );
}
