import { useMemo } from 'react';
import type { ExchangeBodies } from '../../../../../shared/exchange/body.ts';
import type { TextProtocol } from '../../../../../shared/chat/chat.ts';
import { findMasked } from '../../../../../shared/parse-bodies/find-masked.ts';
import { parseRequest } from '../../../../../shared/parse-bodies/parse-request.ts';
import { BodySection, NoBody } from './body-section.tsx';
import { ConversationView } from './conversation-view.tsx';
import { RawView } from './raw-view.tsx';
import { ReceivedView } from './received-view.tsx';

/** The bodies to show, and their protocol; `null` when they belong to none. */
export interface SectionProps {
  readonly bodies: ExchangeBodies;
  readonly protocol: TextProtocol | null;
}

/** Shows the request: as a conversation, as text, and as the client sent it when it was changed. */
export function RequestSection({
  bodies: { sent, received, state, earlier },
  protocol,
}: SectionProps) {
  const body = sent ?? received;
  const conversation = useMemo(
    () => (protocol === null || body === null ? null : parseRequest(protocol, body, earlier)),
    [protocol, body, earlier],
  );
  if (body === null) {
    return (
      <NoBody title="Request">
        {state === 'running'
          ? 'Nothing has arrived yet.'
          : 'It has no body, or Gatehouse answered before it read one, or it was an upload, which is not stored.'}
      </NoBody>
    );
  }
  return (
    <BodySection
      title="Request"
      body={body}
      masked={body.masked === 0 || conversation === null ? [] : findMasked(conversation)}
      views={[
        ...(conversation === null
          ? []
          : [
              {
                label: 'Conversation',
                show: () => <ConversationView conversation={conversation} omitted={body.omitted} />,
              },
            ]),
        { label: 'Raw', show: () => <RawView body={body} what="the request" /> },
        ...(received === null || sent === null
          ? []
          : [
              {
                label: 'As received',
                show: () => <ReceivedView received={received} sent={sent} />,
              },
            ]),
      ]}
    />
  );
}
